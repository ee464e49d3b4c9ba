#!/usr/bin/python3
"""A bot that tries one thing that a sandbox must not let it do.

    hostile.py MODE [WORD…]

It takes the first legal action. At its first question (or where the mode says) it makes
its attempts and tells what came of each on stderr, one JSON object a line:
{"tried": what, "got": text} if it worked, {"tried": what, "denied": error} if not. It needs
no file but itself.
"""
import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
import time

import msgpack
import zmq

WORDS = sys.argv[2:]
FOREVER_S = 3600
libc = ctypes.CDLL(None, use_errno=True)


def tell(**what):
    os.write(2, (json.dumps(what) + "\n").encode())


def attempt(what, function, *args):
    try:
        tell(tried=what, got=str(function(*args))[:200])
    except MemoryError:
        raise
    except Exception as error:
        tell(tried=what, denied="%s: %s" % (type(error).__name__, error))


def call(name, *args):
    """A libc function; raises on -1."""
    result = getattr(libc, name)(*args)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


def write(path):
    with open(path, "w") as file:
        file.write("mine")


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.settimeout(2)
        link.connect(address)
        return "connected"


def network():
    attempt("loopback", connect, socket.AF_INET, ("127.0.0.1", int(WORDS[0])))
    attempt("network", connect, socket.AF_INET, ("192.0.2.1", 80))
    attempt("network 6", connect, socket.AF_INET6, ("2001:db8::1", 80))
    attempt("datagram", socket.socket, socket.AF_INET, socket.SOCK_DGRAM)
    attempt("raw", socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
    attempt("packet", socket.socket, socket.AF_PACKET, socket.SOCK_RAW)
    attempt("netlink", socket.socket, socket.AF_NETLINK, socket.SOCK_RAW)
    attempt("abstract", connect, socket.AF_UNIX, "\0" + WORDS[1])


def files():
    for path in WORDS:
        attempt(path, read, path)
    for path in ("/etc/shadow", "/etc/passwd", "/proc/kcore", "/dev/mem", "link"):
        attempt(path, read, path)
    attempt("homes", lambda: os.listdir("/root") + os.listdir("/home"))


def others_environment():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if WORDS[0].encode() in read_all("/proc/%s/environ" % pid):
            return "pid " + pid
    raise OSError("it is nowhere")


def read_all(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def processes():
    """WORDS[0] stands in the arbiter's environment; pid 1 belongs to somebody else."""
    attempt("environment", others_environment)
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    tell(tried="pids", seen=len(pids))
    attempt("parent's parent", lambda: read("/proc/%s/environ" % read(
        "/proc/%d/stat" % os.getppid()).split()[3].decode()))
    attempt("ptrace", call, "ptrace", 16, 1, 0, 0)
    attempt("trace me", call, "ptrace", 0, 0, 0, 0)
    # The first process is as little allowed as the bot, so that this gains nothing.
    attempt("memory", lambda: open("/proc/1/mem", "rb"))
    tell(tried="filter", seen=read_all("/proc/1/status").count(b"Seccomp:\t2"))
    attempt("vm_readv", call, "process_vm_readv", 1, None, 0, None, 0, 0)
    outside = [pid for pid in range(3, 40000) if pid not in pids and signalled(pid)]
    tell(tried="signals", seen=len([pid for pid in outside if pid not in all_mine()]))


def signalled(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


def all_mine():
    """Threads answer to signals too."""
    return {int(name) for name in os.listdir("/proc/self/task")}


def breakout():
    attempt("user namespace", call, "unshare", 0x10000000)
    attempt("mount namespace", call, "unshare", 0x00020000)
    attempt("clone", call, "syscall", 56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    attempt("mount", call, "mount", b"none", b"/tmp", b"tmpfs", 0, None)
    attempt("remount", call, "mount", None, b"/", None, 32 | 4096, None)
    attempt("chroot", os.chroot, "/tmp")
    attempt("root", os.setuid, 0)
    attempt("keyring", call, "syscall", 250, 0, -3, 0)
    attempt("bpf", call, "syscall", 321, 0, 0, 0)
    attempt("userfaultfd", call, "syscall", 323, 0)
    attempt("io_uring", call, "syscall", 425, 1, 0)
    attempt("perf", call, "syscall", 298, 0, 0, -1, -1, 0)
    attempt("raise a limit", resource.setrlimit, resource.RLIMIT_NPROC, (10000, 10000))


def own_folder():
    attempt("new file", write, "new")
    attempt("itself", write, "hostile.py")
    attempt("mode", os.chmod, "bot.json", 0o777)
    attempt("remove", os.unlink, "bot.json")
    attempt("root", write, "/new")
    attempt("system", write, "/usr/new")
    attempt("device", write, "/dev/new")
    attempt("mine", write, "/tmp/new")


def fill(path):
    """Bytes that could be written below a folder, in files of 1 MiB."""
    total = 0
    for number in range(64):
        try:
            with open("%s/%d" % (path, number), "wb", buffering=0) as file:
                for _ in range(16):
                    total += file.write(bytes(65536))
        except OSError as error:
            return total, errno.errorcode[error.errno]
    return total, "no end"


def disk():
    for path in ("/tmp", "/dev/shm"):
        total, end = fill(path)
        tell(tried=path, seen=total, end=end)
    attempt("large file", lambda: os.truncate("/tmp/0", 1 << 40))


def forks():
    """Stays below a hundred by itself, whatever the sandbox does."""
    children, end = [], "no end"
    for _ in range(100):
        try:
            child = os.fork()
        except OSError as error:
            end = errno.errorcode[error.errno]
            break
        if child == 0:
            time.sleep(FOREVER_S)
            os._exit(0)
        children.append(child)
    tell(tried="forks", seen=len(children), end=end)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def descriptors():
    held = []
    try:
        for _ in range(2000):
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        tell(tried="descriptors", seen=len(held), end=errno.errorcode[error.errno])
    for fd in held:
        os.close(fd)


def memory():
    """Never more than 400 MiB, whatever the sandbox does."""
    attempt("shared", mmap.mmap, -1, 1 << 20)
    attempt("memfd", os.memfd_create, "x")
    attempt("shmget", call, "shmget", 0, 1 << 20, 0o1600)
    held = []
    for _ in range(400):
        held.append(bytearray(1 << 20))
    tell(tried="memory", got="%d MiB" % len(held))


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(FOREVER_S)
        os._exit(0)
    os.wait()
    tell(tried="daemon", got="started")


def stderr_flood():
    for _ in range(4000):
        os.write(2, b"oink " * 200 + b"\n")


def neighbours():
    """Whose socket is there but one's own, and who is let in without its token."""
    endpoint = os.environ["PIGPEN_ENDPOINT"][len("ipc://"):]
    folder, own = os.path.split(endpoint)
    tell(tried="sockets", seen=len([n for n in os.listdir(folder) if n != own]))
    for number in range(1, 6):
        if str(number) != own:
            attempt("socket %d" % number, connect, socket.AF_UNIX,
                    "%s/%d" % (folder, number))
    for token in ("0" * 32, secrets.token_hex(16), os.environ["PIGPEN_TOKEN"]):
        link = zmq.Context.instance().socket(zmq.DEALER)
        link.linger = 0
        link.connect(os.environ["PIGPEN_ENDPOINT"])
        link.send(msgpack.packb({"t": "hello", "v": [1], "token": token}))
        reply = msgpack.unpackb(link.recv()) if link.poll(20000) else {"t": "silence"}
        if reply["t"] == "error":
            tell(tried="second hello", denied=reply["code"])
        else:
            tell(tried="second hello", got=reply["t"])
        link.close()


# Two copies of one bot; each leaves a mark and looks for the other's.

def lock_held(path, kind):
    with open(path) as file:
        if kind == "flock":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return "can be taken"


def marks():
    name = "hostile-mark-%s" % WORDS[0]
    for folder in (".", "/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue"):
        mine = os.path.join(folder, "%s-%d" % (name, SEAT))
        theirs = os.path.join(folder, "%s-%d" % (name, 1 - SEAT))
        try:
            write(mine)
        except OSError:
            pass
        if os.path.exists(theirs):
            tell(tried="mark", got=theirs)
    for seat, what in ((SEAT, "bind"), (1 - SEAT, "connect")):
        link = socket.socket(socket.AF_UNIX)
        KEPT.append(link)
        try:
            getattr(link, what)("\0%s-%d" % (name, seat))
            if what == "bind":
                link.listen()
            else:
                tell(tried="mark", got="abstract socket")
        except OSError:
            pass
    key = 0x70690000 + int(WORDS[0]) % 60000
    if libc.msgget(key + SEAT, 0o1666) != -1 and libc.msgget(key + 1 - SEAT, 0) != -1:
        tell(tried="mark", got="message queue")
    if MARKED:
        return
    MARKED.append(True)
    attempt("flock", lock_held, "bot.json", "flock")
    attempt("lock", lock_held, "bot.json", "lockf")
    attempt("watch", call, "inotify_init1", 0)


KEPT, MARKED = [], []
SEAT = 0


def burn():
    """A child that burns CPU for as long as it lives; at most a minute."""
    if not KEPT:
        KEPT.append(subprocess.Popen([sys.executable, "-c", (
            "import time\nend = time.time() + 60\nwhile time.time() < end: pass")]))
    ticks = sum(int(n) for n in read_all("/proc/%d/stat" % KEPT[0].pid)
                .rsplit(b")", 1)[1].split()[11:13])
    tell(burnt=ticks / os.sysconf("SC_CLK_TCK"), at=time.monotonic())


EVERY_TURN = {"marks", "burn"}


def play(mode):
    global SEAT
    context = zmq.Context.instance()
    link = context.socket(zmq.DEALER)
    link.connect(os.environ["PIGPEN_ENDPOINT"])

    def send(**message):
        link.send(msgpack.packb(message))

    send(t="hello", v=[1], token=os.environ["PIGPEN_TOKEN"])
    done = False
    while True:
        m = msgpack.unpackb(link.recv())
        if m["t"] == "welcome":
            tell(limits={k: m["limits"][k] for k in (
                "memory_bytes", "processes", "descriptors", "disk_bytes")})
        elif m["t"] == "match":
            SEAT = m["seat"]
            send(t="ready", match=m["match"])
        elif m["t"] == "act":
            if mode == "guess":
                for other in (m["match"] ^ 1, m["match"] + 1, 1):
                    send(t="action", match=other, turn=m["turn"], choice=0)
            elif not done or mode in EVERY_TURN:
                globals().get(mode, lambda: None)()
                done = True
            if mode == "burn":
                time.sleep(0.3)
                burn()
            if mode == "slow":
                time.sleep(0.5)
            send(t="action", match=m["match"], turn=m["turn"], choice=0)
        elif m["t"] == "bye":
            if mode == "ignores_term":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(FOREVER_S)
            return


play(sys.argv[1])
