"""Raw ZMTP, well-formed and not: what the fuzzer of the arbiter's sockets is made of.

A conversation is a list of pieces of bytes; `conversation(dice)` makes one that is
right up to some point and wrong from there on. specs/protocol.md does not describe these
bytes: they are libzmq's (rfc.zeromq.org/spec/23 and 26).
"""
import random
import struct

SIGNATURE = b"\xff" + 8 * b"\0" + b"\x7f"
MORE, LONG, COMMAND = 1, 2, 4


def greeting(mechanism=b"NULL", version=b"\x03\x01", as_server=b"\0"):
    return SIGNATURE + version + mechanism.ljust(20, b"\0")[:20] + as_server + 31 * b"\0"


def frame(body, flags=0, size=None, wide=None):
    """A frame; `size` may lie, `wide` asks for eight bytes of length."""
    size = len(body) if size is None else size
    if wide or size > 255:
        return bytes([flags | LONG]) + struct.pack(">Q", size) + body
    return bytes([flags, size]) + body


def command(name, body=b"", **options):
    return frame(bytes([len(name)]) + name + body, COMMAND, **options)


def metadata(pairs):
    return b"".join(bytes([len(name) & 255]) + name + struct.pack(">I", size) + value
                    for name, value, size in ((n, v, len(v)) for n, v in pairs))


def ready(*more, kind=b"DEALER"):
    return command(b"READY", metadata([(b"Socket-Type", kind), (b"Identity", b""), *more]))


def noise(dice, most):
    return dice.randbytes(dice.randrange(most + 1))


def any_greeting(dice):
    return dice.choice([
        lambda: greeting(),
        lambda: greeting(b"CURVE"),
        lambda: greeting(b"PLAIN"),
        lambda: greeting(noise(dice, 20)),
        lambda: greeting(as_server=b"\1"),
        lambda: greeting(version=noise(dice, 2).ljust(2, b"\7")),
        lambda: greeting()[:dice.randrange(64)],
        lambda: SIGNATURE + b"\1" + noise(dice, 30),         # ZMTP 2.0
        lambda: bytes([dice.randrange(256), 0]) + noise(dice, 300),  # ZMTP 1.0
        lambda: mutate(dice, greeting()),
        lambda: noise(dice, 200),
    ])()


def any_ready(dice):
    long_one = 256
    identities = (1, 254, 255, 256, 4000, 100000)
    return dice.choice([
        lambda: ready((b"User-Id", noise(dice, 64))),
        lambda: ready((b"User-Id", long_one * b"u")),
        lambda: ready(*((b"X-%d" % i, b"v") for i in range(dice.randrange(2000)))),
        lambda: ready((b"X" * 255, noise(dice, 100000))),
        lambda: ready((b"", b""), (b"", b"")),
        lambda: ready((b"Identity", dice.randbytes(dice.choice(identities)))),
        lambda: ready((b"Identity", b"\0" + dice.randbytes(4))),
        lambda: ready(kind=dice.choice((b"ROUTER", b"PUB", b"REQ", b"", b"X" * 300))),
        lambda: command(b"READY", b"\x0bSocket-Type" + struct.pack(">I", 0xffffffff) + b"D"),
        lambda: command(b"READY", b"\xff"),
        lambda: command(b"READY"),
        lambda: command(b"READY", noise(dice, 300)),
        lambda: frame(ready()[2:], COMMAND | MORE),
        lambda: frame(ready()[2:], 0),
        lambda: command(b"READY", size=2**63 - 1),
        lambda: command(b"ERROR", noise(dice, 200)),
        lambda: command(noise(dice, 200)),
        lambda: command(b"HELLO", noise(dice, 194).ljust(194, b"\0")),
        lambda: command(b"INITIATE", noise(dice, 300)),
        lambda: mutate(dice, ready()),
        lambda: 3 * ready(),
    ])()


def any_frames(dice):
    parts = 200000
    return dice.choice([
        lambda: frame(noise(dice, 300)),
        lambda: frame(b""),
        lambda: frame(b"", wide=True),
        lambda: frame(noise(dice, 64), flags=dice.randrange(256)),
        lambda: frame(b"x", size=dice.choice((2**31, 2**32, 2**62, 2**63 - 1, 2**64 - 1))),
        lambda: frame(b"x", size=5 << 20),
        lambda: frame((4 << 20) * b"x" if dice.random() < 0.1 else (1 << 20) * b"x"),
        lambda: b"".join(frame(b"p", MORE) for _ in range(dice.randrange(parts))),
        lambda: b"".join(frame(b"p", MORE) for _ in range(dice.randrange(50))) + frame(b"e"),
        lambda: command(b"PING", noise(dice, 100)),
        lambda: command(b"PING", b"\0\1" + noise(dice, 16)),
        lambda: command(b"PONG", noise(dice, 100)),
        lambda: command(b"SUBSCRIBE", noise(dice, 100)),
        lambda: command(b"READY", noise(dice, 100)),
        lambda: command(b"", noise(dice, 10)),
        lambda: frame(noise(dice, 300), COMMAND | MORE),
        lambda: frame(b"\x82\xa1t\xa5hello\xa5token\xa1x"),
        lambda: frame(b"\x81\xa1t\xa5hello"),
        lambda: frame(b"\xdd\xff\xff\xff\xff"),
        lambda: mutate(dice, 4 * frame(noise(dice, 60))),
    ])()


def mutate(dice, data):
    """Some bytes are changed, left out, doubled or put in."""
    out = bytearray(data)
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(out) + 1)
        how = dice.randrange(4)
        if how == 0 and at < len(out):
            out[at] ^= 1 << dice.randrange(8)
        elif how == 1:
            del out[at:at + dice.randrange(1, 9)]
        elif how == 2:
            out[at:at] = out[at:at + dice.randrange(1, 60)]
        else:
            out[at:at] = noise(dice, 8)
    return bytes(out)


def conversation(dice):
    """Pieces of bytes."""
    pieces = [greeting(), ready()]
    wrong_from = dice.randrange(4)
    if wrong_from == 0:
        pieces = [any_greeting(dice), ready()]
    elif wrong_from == 1:
        pieces = [greeting(), any_ready(dice)]
    pieces += [any_frames(dice) for _ in range(dice.randrange(4))]
    return pieces


# Each once ended an arbiter: identities that are longer than the room for them, in READY
# and as the first frame of ZMTP 2.0, and a User-Id where names of keys are expected.
BREAKING = {
    "a long identity": [greeting(), ready((b"Identity", 4000 * b"i")), frame(b"hi")],
    "a very long identity": [greeting(), ready((b"Identity", 100000 * b"i")), frame(b"hi")],
    "an identity of ZMTP 2.0": [SIGNATURE + b"\1\5", frame((1 << 20) * b"x"), frame(b"hi")],
    "a long User-Id": [greeting(), ready((b"User-Id", 65 * b"u")), frame(b"hi")],
    "a very long User-Id": [greeting(), ready((b"User-Id", 5000 * b"u")), frame(b"hi")],
}


def dice_of(seed, number):
    return random.Random("%s %d" % (seed, number))
