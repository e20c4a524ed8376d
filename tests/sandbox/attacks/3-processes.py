#% forks
attempt("fork", lambda: os.fork())
attempt("forkpty", lambda: os.forkpty())
#% runs a command with every function of the standard library
import subprocess
attempt("run", lambda: subprocess.run(["/bin/sh", "-c", "echo canary"], capture_output=True, check=True))
attempt("popen", lambda: os.popen("echo canary").read() or 1 / 0)
attempt("spawn", lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {}))
attempt("spawnv", lambda: os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "true"]) == 0 or 1 / 0)
#: harmless
#: pyodide harmless | died
#: deno harmless | died
#% runs a command in a shell
attempt("system", lambda: os.system("echo canary > /tmp/x") == 0 or 1 / 0)
attempt("written", lambda: open("/tmp/x").read())
#: harmless
#: pyodide harmless | died
#: deno harmless | died
#% uses multiprocessing
import multiprocessing
def start():
    p = multiprocessing.Process(target=print)
    p.start()
    p.join()
attempt("process", start)
attempt("pool", lambda: multiprocessing.Pool(2).map(abs, [1]))
attempt("shared memory", lambda: __import__("multiprocessing.shared_memory").shared_memory.SharedMemory(create=True, size=1 << 34))
#% forks with a system call
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (57, 58, 220, 435):
    def raw():
        pid = libc.syscall(number, 17, 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        return pid > 0 or 1 / 0
    attempt(number, raw)
attempt("vfork", lambda: libc.fork() > 0 or 1 / 0)
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% creates user namespaces and gains privileges
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
attempt("user namespace", lambda: libc.unshare(0x10000000) == 0 or 1 / 0)
attempt("setns", lambda: libc.setns(0, 0) == 0 or 1 / 0)
attempt("setuid", lambda: os.setuid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("ptrace", lambda: libc.ptrace(16, 1, 0, 0) == 0 or 1 / 0)
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% uses forbidden system calls
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"bpf": 321, "perf": 298, "userfaultfd": 323, "io_uring": 425, "memfd": 319, "keyctl": 250, "kexec": 246, "module": 175, "handle": 304, "process_vm_readv": 310, "personality": 135, "shmget": 29, "syslog": 103, "pidfd": 434}
for name, number in numbers.items():
    attempt(name, lambda: libc.syscall(number, 0, 0, 0, 0, 0) >= 0 or 1 / 0)
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% uses system call numbers of another architecture
import ctypes
ctypes.CDLL(None).syscall(0x40000000 + 39)
#: died
#: pyodide value | threw | died
#: deno value | threw | died
#% kills the host
import signal
for pid in (PID, os.getppid()):
    if pid > 1:
        attempt(pid, lambda: os.kill(pid, 0))
    attempt(pid, lambda: os.kill(PID, signal.SIGKILL) if ENGINE == "bwrap" else os.kill(PID, 0) or 1 / 0)
#: harmless
#% kills everything it can
import signal
os.kill(-1, signal.SIGKILL)
os.killpg(0, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"still here"
#: died | threw
#: pyodide value | threw | died
#: deno value | threw | died
#% replaces itself with another program
os.execv("/bin/cat", ["cat"])
#: died
#: pyodide threw | died
#: deno threw | died
#% replaces itself with a shell that owns the channel
import fcntl
for n in range(3, 12):
    try:
        fcntl.fcntl(n, fcntl.F_SETFD, 0)
        os.set_inheritable(n, True)
    except OSError:
        pass
os.execv("/bin/sh", ["sh", "-c", 'for n in 3 4 5 6; do echo "{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"run\":1,\"result\":{\"text\":\"forged by sh\"},\"files\":[]}}" >&$n; done 2>/dev/null; sleep 60'])
#: value | died | stopped timeoutMs | stopped protocol
#: pyodide threw | died
#: deno threw | died
#% ignores every signal
import signal
for n in range(1, 32):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
#: stopped timeoutMs
#% leaves a running thread
import threading, time
def on():
    while True:
        time.sleep(0.001)
        print("still here")
threading.Thread(target=on, daemon=False).start()
#: value
#: pyodide threw
#: deno threw
#% continues in an exit handler
import atexit, weakref
def stay():
    while True:
        pass
atexit.register(stay)
sys.exit(0)
#: value
