#!/usr/bin/python3
"""The Python SDK holds the conversation of conversation.py."""
import os
import sys

import conversation

HERE = os.path.dirname(os.path.abspath(__file__))
conversation.main([sys.executable, os.path.join(HERE, "bot.py")])
