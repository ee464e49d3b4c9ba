#!/bin/bash
# The JavaScript SDK holds the conversation of conversation.py.
# Installs the packages if they are missing; without Node or npm it is skipped, and
# packages that cannot be installed are a failure.
cd "$(dirname "$0")/../.." || exit 1
packages=sample_bots/javascript/sdk

for program in node npm; do
	if ! command -v "$program" >/dev/null; then
		echo "skip: sdk-javascript: needs $program (make deps-test)"
		echo "0 passed, 0 failed, 1 skipped"
		exit 0
	fi
done
if ! (cd "$packages" && node -e 'require("zeromq"); require("@msgpack/msgpack")') 2>/dev/null &&
	! npm --prefix "$packages" ci --ignore-scripts --no-audit --no-fund; then
	echo "FAIL npm ci in $packages"
	echo "0 passed, 1 failed"
	exit 1
fi
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 tests/sdk/conversation.py node tests/sdk/bot.js
