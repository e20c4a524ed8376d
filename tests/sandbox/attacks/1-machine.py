#% reads a file of the host
attempt("file", lambda: open(FILE).read())
attempt("descriptor", lambda: os.open(FILE, os.O_RDONLY))
attempt("stat", lambda: os.stat(FILE))
#% reads well-known files
for path in ["/etc/passwd", "/etc/shadow", "/root/.ssh/id_rsa", "/root/.bashrc", "/var/log/dpkg.log", "/home", "/root", "/mnt", "/var"]:
    attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())
allowed("/home")
if ENGINE in ("docker", "podman"):  # the files belong to the image
    for path in ["/etc/passwd", "/var/log/dpkg.log", "/mnt", "/var"]:
        allowed(path)
#% leaves the working directory with ..
attempt("up", lambda: open("../" * 20 + FILE.lstrip("/")).read())
attempt("down", lambda: open("/work/../../../../" + FILE).read())
#% follows its own symbolic links
os.symlink(FILE, "link")
attempt("link", lambda: open("link").read())
os.symlink("/", "root")
attempt("root", lambda: open("root" + FILE).read())
attempt("hard link", lambda: os.link(FILE, "hard"))
#% searches the whole disk for the canary
for folder, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(folder, f) not in ("/usr/share", "/usr/lib", "/usr/include", "/usr/src", "/proc")]
    for name in names:
        if os.path.basename(FILE) in name:
            reached.append(folder)
#% reads files through standard modules
import linecache, zipimport, importlib.machinery, mimetypes, netrc, codecs, shutil, fileinput
attempt("linecache", lambda: linecache.getline(FILE, 1) or 1 / 0)
attempt("loader", lambda: importlib.machinery.SourceFileLoader("x", FILE).get_data(FILE))
attempt("netrc", lambda: netrc.netrc(FILE))
attempt("codecs", lambda: codecs.open(FILE).read())
attempt("copy", lambda: shutil.copy(FILE, "stolen"))
attempt("fileinput", lambda: list(fileinput.input([FILE])))
#% writes to program directories
for path in ["/usr/bin/python3", "/usr/lib/x", "/bin/x", "/lib/x", "/etc/x", "/x", "/dev/x", "/sys/x", FILE]:
    attempt(path, lambda: open(path, "a") if ENGINE in ("bwrap", "docker", "podman") else open(path, "r+") if path == FILE else 1 / 0)
#% mounts, changes its root, creates devices
import ctypes
libc = ctypes.CDLL(None)
for name, given in [("mount", (b"/", b"/work", None, 4096, None)), ("umount2", (b"/work", 2)), ("chroot", (b"/",)), ("unshare", (0x10000000,)), ("pivot_root", (b".", b".")), ("sethostname", (b"x", 1))]:
    attempt(name, lambda: getattr(libc, name)(*given) == 0 or 1 / 0)
attempt("mknod", lambda: os.mknod("disk", 0o60666, os.makedev(8, 0)))
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% opens memory and devices of the machine
for path in ["/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/port", "/proc/kcore", "/sys/kernel/security", "/dev/fuse", "/dev/kvm", "/dev/net/tun"]:
    attempt(path, lambda: open(path, "rb"))
#% reads /proc
for path in ["/proc/1/environ", "/proc/1/root/etc/passwd", "/proc/self/mem", f"/proc/{PID}/environ", f"/proc/{PID}/mem", "/proc/self/root" + FILE, "/proc/sys/kernel/hostname", "/proc/version"]:
    attempt(path, lambda: open(path, "rb").read(10) or 1 / 0)
if ENGINE in ("docker", "podman"):  # the guest is the first process
    for path in ["/proc/1/environ", "/proc/1/root/etc/passwd", "/proc/sys/kernel/hostname", "/proc/version"]:
        allowed(path)
#% lists other processes
attempt("proc", lambda: [p for p in os.listdir("/proc") if p.isdigit() and p == str(PID)] or 1 / 0)
attempt("ps", lambda: __import__("subprocess").check_output(["ps", "aux"]))
#% reads the environment
import ctypes
for name, value in os.environ.items():
    if "secret-" in value or name not in ("PATH", "HOME", "LANG", "TZ", "PWD", "LC_CTYPE", "PYTHONUTF8", "MALLOC_ARENA_MAX", "OPENBLAS_NUM_THREADS", "USER", "LOGNAME", "_", "LD_LIBRARY_PATH", "PYTHONINSPECT"):
        reached.append(name)
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
attempt("getenv", lambda: getenv(b"PORTOLAN_CANARY") or 1 / 0)
#: harmless
#: pyodide harmless | threw | died
#: deno harmless | threw | died
#% fills the disk
def fill(folder):
    for n in range(4000):
        with open(f"{folder}/f{n}", "wb") as f:
            f.write(bytes(1 << 20))
for folder in ["/work", "/tmp", "/dev/shm", "/dev", "/"]:
    attempt(folder, lambda: fill(folder))
#% creates endless files
def many():
    for n in range(10**9):
        open(f"e{n}", "w").close()
many()
#: threw | stopped timeoutMs | died
#% creates a large sparse file
def sparse():
    with open("sparse", "wb") as f:
        f.truncate(1 << 40)
attempt("sparse", sparse)
attempt("seek", lambda: open("s2", "wb").seek(1 << 40) and 1 / 0)
#% opens files until none are left
held = []
def hold():
    while len(held) < 100000:
        held.append(open("/dev/null"))
attempt("files", hold)
held.clear()
