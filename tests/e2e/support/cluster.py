"""A Slurm cluster of two nodes on this machine: munged, slurmctld and two slurmd, on
loopback, with free ports and all files in the test's folder."""
import contextlib
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess

from harness import Failed, slurp, skip, wait_for

NODES = ("n1", "n2")

CONFIG = """
ClusterName=pigpen
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={controller}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
SlurmdTimeout=5
SlurmctldTimeout=30
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
{nodes}
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Below those that the system hands out, lest another process gets one of them before
    the daemons have it."""
    ports = []
    while len(ports) < count:
        port = random.randrange(10000, 30000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            ports += [] if port in ports else [port]
    return ports


class Cluster:
    def __init__(self, t):
        self.t, self.folder = t, t.path("cluster")
        self.daemons = {}
        self.env = {"SLURM_CONF": self.folder + "/slurm.conf"}

    def start(self):
        ports = free_ports(3)
        for name in ("state", "spool.n1", "spool.n2"):
            os.makedirs(os.path.join(self.folder, name))
        with open(self.folder + "/munge.key", "wb") as file:
            file.write(secrets.token_bytes(128))
        os.chmod(self.folder + "/munge.key", 0o400)
        nodes = "\n".join(
            "NodeName=%s NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d CPUs=2"
            % pair for pair in zip(NODES, ports[1:]))
        with open(self.folder + "/slurm.conf", "w") as file:
            file.write(CONFIG.format(folder=self.folder, controller=ports[0], nodes=nodes))
        self.daemon("munged", "munged", "--force", "--foreground",
                    "--key-file", self.folder + "/munge.key",
                    "--socket", self.folder + "/munge.socket",
                    "--pid-file", self.folder + "/munge.pid",
                    "--seed-file", self.folder + "/munge.seed",
                    "--log-file", self.folder + "/munge.log")
        wait_for(lambda: os.path.exists(self.folder + "/munge.socket"), "munged")
        self.daemon("slurmctld", "slurmctld", "-D", "-c", "-f", self.folder + "/slurm.conf")
        for node in NODES:
            self.start_node(node)
        wait_for(self.is_up, "two idle nodes")

    def is_up(self):
        for name, process in self.daemons.items():
            if process.poll() is not None:
                with open(os.path.join(self.folder, name + ".out")) as file:
                    raise Failed("%s ended: %s" % (name, file.read()[-400:]))
        return self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * 2

    def daemon(self, name, *command):
        # Slurm listens at the host's name, which not every machine can look up.
        command = ("unshare", "--uts", "sh", "-c", 'hostname localhost; exec "$@"', "-",
                   *command)
        with open(os.path.join(self.folder, name + ".out"), "ab") as out:
            self.daemons[name] = self.t.start(
                list(command), self.env, stdout=out, stderr=out)

    def start_node(self, node):
        self.daemon(node, "slurmd", "-D", "-N", node, "-f", self.folder + "/slurm.conf")

    def ask(self, *command):
        done = subprocess.run(command, env=self.t.environment(self.env), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.stdout

    def of_node(self, node):
        """The processes of the tasks on a node."""
        word = b"SLURMD_NODENAME=" + node.encode() + b"\0"
        return [pid for pid in self.t.processes() if word in slurp(pid, "environ") + b"\0"]

    def kill_node(self, node):
        """As when its power fails."""
        victims = set(self.of_node(node))
        for pid in list(victims):
            with contextlib.suppress(IndexError, ValueError):
                parent = int(slurp(pid, "stat").rsplit(b")", 1)[1].split()[1])
                if b"slurmstepd" in slurp(parent, "comm"):
                    victims.add(parent)
        self.daemons[node].kill()
        self.daemons[node].wait()
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def jobs(self):
        """Of all tasks that are waiting or running: (id, state)."""
        return [tuple(line.split()) for line in
                self.ask("squeue", "-h", "-r", "-o", "%i %T").splitlines()]

    def stop(self):
        for name in ("n1", "n2", "slurmctld", "munged"):
            if name in self.daemons:
                self.daemons[name].terminate()
        for process in self.daemons.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def cluster(t):
    if os.geteuid() != 0:
        skip("a cluster on one machine needs root")
    for command in ("munged", "slurmctld", "slurmd", "sbatch"):
        if not shutil.which(command, path=os.environ["PATH"] + ":/usr/sbin"):
            raise Failed("%s is not installed; `make test-slurm` does it" % command)
    made = Cluster(t)
    try:
        made.start()
        yield made
    except BaseException:
        # What is left of tasks is not the failure to be told.
        made.stop()
        for pid in t.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        raise
    made.stop()
