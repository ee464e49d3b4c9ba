#!/usr/bin/python3
"""A bot that tries one thing that a sandbox must not let it do.

    hostile.py MODE [WORD…]

It takes the first legal action. At its first question (or where the mode says) it makes
its attempts and tells what came of each on stderr, one JSON object a line:
{"tried": what, "got": text} if it worked, {"tried": what, "denied": error} if not. It needs
no file but itself.
"""
import asyncio
import concurrent.futures
import ctypes
import errno
import fcntl
import json
import mmap
import multiprocessing
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
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


def look(path):
    """The beginning of a file, or what is in a folder, if there is anything."""
    found = os.listdir(path) if os.path.isdir(path) else read(path)
    if not found:
        raise OSError("it is empty")
    return found


def files():
    for path in WORDS:
        attempt(path, look, path)
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
    attempt("memory", lambda: open("/proc/1/mem", "rb"))
    attempt("priority", os.setpriority, os.PRIO_PROCESS, 1, 19)
    attempt("all priorities", os.setpriority, os.PRIO_USER, 0, 19)
    attempt("policy", os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0))
    attempt("affinity", os.sched_setaffinity, 1, {0})
    attempt("limits", resource.prlimit, 1, resource.RLIMIT_CPU, (1, 1))
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


# What a memory limit would not count, and what shows the page cache.

PAGE = 4096
NOWAIT, DONTNEED_FILE, SET_RW_HINT = 8, 4, 1036
GROWSDOWN, SHARED, PRIVATE, ANONYMOUS = 0x100, 1, 2, 0x20


def system_call(number, *args):
    return call("syscall", ctypes.c_long(number), *args)


def map_memory(flags, fd=-1):
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(1 << 20), 3, flags, fd, ctypes.c_long(0))
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return "mapped"


def count_files(wanted):
    made = 0
    try:
        for number in range(wanted):
            os.close(os.open("/tmp/empty-%d" % number, os.O_CREAT | os.O_WRONLY))
            made += 1
    except OSError as error:
        return made, errno.errorcode[error.errno]
    return made, "no end"


def uncounted():
    """WORDS[0]: how many empty files to make at most."""
    attempt("shared zero", lambda: map_memory(SHARED, os.open("/dev/zero", os.O_RDWR)))
    attempt("shared", map_memory, SHARED | ANONYMOUS)
    attempt("grows down", map_memory, PRIVATE | ANONYMOUS | GROWSDOWN)
    attempt("semaphores", lambda: call("semctl", call("semget", 0, 32000, 0o1600), 0, 0))
    attempt("messages", lambda: call("msgctl", call("msgget", 0, 0o1600), 0, None))
    attempt("segment", lambda: call("shmctl", call("shmget", 0, 1 << 20, 0o1600), 0, None))
    attempt("queue", system_call, 240, b"/q", os.O_CREAT | os.O_RDWR, 0o600, None)
    attempt("memfd", os.memfd_create, "x")
    attempt("stack", resource.setrlimit, resource.RLIMIT_STACK, (1 << 30, 1 << 30))
    attempt("pinned", call, "mlock", bytes(PAGE), PAGE)
    made, end = count_files(int(WORDS[0]))
    tell(tried="files", seen=made, end=end)


def pages():
    """Every way to ask what is in the page cache, to change it, or to mark a file that
    another copy sees too."""
    fd = os.open("hostile.py", os.O_RDONLY)
    view = mmap.mmap(fd, PAGE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(view))
    buffer = ctypes.create_string_buffer(256)
    attempt("nowait", os.preadv, fd, [bytearray(8)], 0, NOWAIT)
    attempt("evict", os.posix_fadvise, fd, 0, PAGE, DONTNEED_FILE)
    attempt("mincore", system_call, 27, ctypes.c_void_p(address), PAGE, buffer)
    attempt("cachestat", system_call, 451, fd, buffer, ctypes.byref(buffer, 64), 0)
    attempt("hint", fcntl.fcntl, fd, SET_RW_HINT, bytes([2] + [0] * 7))
    attempt("readahead", system_call, 187, fd, ctypes.c_long(0), PAGE)
    for name, advice in (("page out", 21), ("cold", 20), ("will need", 3), ("merge", 12)):
        attempt(name, call, "madvise", ctypes.c_void_p(address), PAGE, advice)
    attempt("only cached", system_call, 437, -100, b"hostile.py", buffer, 24)
    attempt("lease", fcntl.fcntl, fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    attempt("asynchronous", system_call, 206, 1, buffer)


# CPU time that nobody sees: deep below, or of children for whom nobody waits.

CHAIN_DEPTH = 70
BURN_S = 1.5


def burn_for(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def chain():
    """Not a mode of the bot but a program of its own, without threads: the last of
    WORDS[0] generations, which all live on, burns and tells its pid in the file WORDS[2];
    WORDS[1] says what comes first."""
    depth = int(WORDS[0])
    while depth and not os.fork():
        depth -= 1
    if depth == 0:
        if WORDS[1] == "burn":
            burn_for(BURN_S)
        with open(WORDS[2] + "-new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(WORDS[2] + "-new", WORDS[2])
        if WORDS[1] == "tell":
            burn_for(60)
    time.sleep(FOREVER_S)


def start_chain(depth, first):
    """The pid of the last one, once it has told it."""
    name = "/tmp/hostile-chain-%d" % os.getpid()
    KEPT.append(subprocess.Popen([sys.executable, "hostile.py", "chain", str(depth), first,
                                  name]))
    while not os.path.exists(name):
        time.sleep(0.01)
    pid = int(read_all(name))
    os.unlink(name)
    return pid


def deep():
    """Answers when the last one of a chain has burnt."""
    start_chain(CHAIN_DEPTH, "burn")
    tell(tried="deep", seen=BURN_S)


def unwaited():
    """Many short children that vanish without being waited for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(15):
        ours, theirs = os.pipe()
        if os.fork() == 0:
            burn_for(BURN_S / 15)
            os._exit(0)
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    tell(tried="unwaited", seen=BURN_S)


def square(number):
    return number * number


def copy_files():
    folder = tempfile.mkdtemp()
    with open(folder + "/a", "w") as file:
        file.write("oink")
    shutil.copy2(folder + "/a", folder + "/b")
    shutil.copytree(folder, folder + "-too")
    shutil.rmtree(folder)
    return os.listdir(folder + "-too")


def map_own_file():
    with open("/tmp/mapped", "wb+") as file:
        file.truncate(PAGE)
        with mmap.mmap(file.fileno(), PAGE) as view:
            view[:4] = b"oink"
    return read("/tmp/mapped")[:4]


async def wait_for_child():
    child = await asyncio.create_subprocess_exec("true")
    return await child.wait()


def honest():
    """What runtimes and libraries do all day."""
    attempt("thread", lambda: list(concurrent.futures.ThreadPoolExecutor(4).map(
        square, range(8))))
    attempt("processes", lambda: multiprocessing.Pool(2).map(square, range(8)))
    attempt("shared array", lambda: multiprocessing.Array("i", 100)[:3])
    attempt("command", subprocess.check_output, ["sh", "-c", "echo oink | tr o O"])
    attempt("new ids", lambda: os.waitpid(os.posix_spawn(
        "/bin/true", ["true"], {}, resetids=True), 0))
    attempt("loop", lambda: asyncio.run(wait_for_child()))
    attempt("files", copy_files)
    attempt("own map", map_own_file)
    attempt("pair", lambda: [link.close() for link in socket.socketpair()])
    attempt("random", lambda: len(os.urandom(8) + read("/dev/urandom")))
    attempt("nice", os.nice, 1)
    attempt("affinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(FOREVER_S)
        os._exit(0)
    os.wait()
    tell(tried="daemon", got="started")


def read_only():
    """Memory that is filled and then no longer writable; 600 MiB at most."""
    libc.mmap.restype = ctypes.c_void_p
    size = 50 << 20
    for number in range(12):
        address = libc.mmap(None, ctypes.c_size_t(size), 3, PRIVATE | ANONYMOUS, -1,
                            ctypes.c_long(0))
        if address == ctypes.c_void_p(-1).value:
            raise MemoryError
        ctypes.memset(address, 1, size)
        call("mprotect", ctypes.c_void_p(address), ctypes.c_size_t(size), 1)
    time.sleep(5)
    tell(tried="read-only", got="600 MiB")


def family():
    """Four processes that take 64 MiB each and are all there at once."""
    ours, theirs = os.pipe()
    for _ in range(4):
        if os.fork() == 0:
            held = b"x" * (64 << 20)
            os.write(theirs, b"x")
            time.sleep(FOREVER_S if held else 0)
    for _ in range(4):
        os.read(ours, 1)
    tell(tried="family", got="256 MiB")


def wait():
    time.sleep(FOREVER_S)


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


KEPT, MARKED, BURNERS = [], [], []
SEAT = 0


def burn():
    """A process that burns CPU for as long as it lives; at most a minute. WORDS[0] is how
    deep it is."""
    if not BURNERS:
        BURNERS.append(start_chain(int(WORDS[0]), "tell"))
    ticks = sum(int(n) for n in read_all("/proc/%d/stat" % BURNERS[0])
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


if sys.argv[1] == "chain":
    chain()
else:
    play(sys.argv[1])
