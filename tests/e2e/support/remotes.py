"""What the scripts on remote bots share."""
import socket

import msgpack
import zmq

from harness import PIGPEN, check, equal

PATIENCE_MS = 120000


class Key:
    """A pair of `pigpen keygen`."""

    def __init__(self, t, name):
        t.run(PIGPEN, "keygen", name).ok()
        self.path = t.path(name + ".key")
        with open(self.path) as file:
            words = dict(line.split() for line in file)
        self.name, self.public, self.secret = words["name"], words["public"], words["secret"]


class Remote:
    """A remote bot in the test's own hands."""
    context = zmq.Context()

    def __init__(self, endpoint, server, key, token=None, routing_id=None):
        self.token = token or key.name
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.rcvtimeo = PATIENCE_MS
        if server:
            self.socket.curve_serverkey = server.encode()
            self.socket.curve_publickey = key.public.encode()
            self.socket.curve_secretkey = key.secret.encode()
        if routing_id:
            self.socket.setsockopt(zmq.ROUTING_ID, routing_id)
        self.socket.connect(endpoint)

    def say(self, **message):
        self.socket.send(msgpack.packb(message))

    def next(self):
        while True:
            frame = self.socket.recv()
            if frame:
                return msgpack.unpackb(frame)

    def expect(self, *types):
        message = self.next()
        check(message["t"] in types, "expected %s, got %r" % (types, message))
        return message

    def hello(self, **more):
        self.say(t="hello", v=[1], token=self.token, **more)
        return self.next()

    def join(self):
        """Is welcome, and gets to its first question."""
        equal(self.hello()["t"], "welcome", "answer to hello")
        self.say(t="ready", match=self.expect("match")["match"])
        return self.expect("act")

    def answer(self, act):
        self.say(t="action", match=act["match"], turn=act["turn"], choice=0)

    def play(self, act=None, until=None):
        """Answers until bye; calls until(number of matches over) after each match."""
        over = 0
        if act:
            self.answer(act)
        while True:
            message = self.expect("match", "act", "end", "bye")
            if message["t"] == "match":
                self.say(t="ready", match=message["match"])
            elif message["t"] == "act":
                self.answer(message)
            elif message["t"] == "end":
                over += 1
                if until:
                    until(over)
            else:
                break
        self.close()
        return over

    def silent(self, ms=300):
        """Nothing comes; a short wait, which can only miss what is wrong."""
        return not self.socket.poll(ms)

    def close(self):
        self.socket.close()


def wait_closed(sockets):
    """Until the other side has closed every one of them."""
    for one in sockets:
        one.settimeout(PATIENCE_MS / 1000)
        try:
            while one.recv(4096):
                pass
        except ConnectionError:
            pass
        one.close()


def raw(port, data=b""):
    one = socket.create_connection(("127.0.0.1", port))
    one.sendall(data)
    return one
