# Starts the guest in a separate CPython process: pipes on 0 and 1, limits from the operating system.
import importlib.machinery

GUEST_FILE = "<portolan>"
WORK_FOLDER = os.getcwd()
# Address space for the interpreter itself, before submitted code runs.
OWN_ADDRESS_SPACE = 96 << 20
MAX_OPEN_FILES = 128
MAX_THREADS = 64
MAX_SIGNALS = 64
# Commonly imported modules, loaded before the first job arrives.
LIKELY = (
    "asyncio", "collections", "datetime", "functools", "itertools", "math", "random", "statistics", "string",
    "textwrap", "typing", "csv", "hashlib", "urllib.parse", "concurrent.futures", "contextlib", "operator", "heapq",
)  # fmt: skip


def limit_self(limits):
    """Sets the resource limits; not even this process can raise them again."""
    import resource

    def fix(kind, value):
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))

    fix(resource.RLIMIT_CORE, 0)
    fix(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    fix(resource.RLIMIT_FSIZE, limits["folderBytes"])
    fix(resource.RLIMIT_AS, limits["memoryBytes"] + OWN_ADDRESS_SPACE)
    fix(resource.RLIMIT_SIGPENDING, MAX_SIGNALS)
    fix(resource.RLIMIT_NPROC, thread_limit(resource))


def thread_limit(resource):
    """Older kernels count all processes of the user, so this searches for the lowest limit that still allows a thread."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)

    def permits(count):
        if hard != resource.RLIM_INFINITY and hard < count:
            return True
        resource.setrlimit(resource.RLIMIT_NPROC, (count, hard))
        try:
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
        except RuntimeError:
            return False
        return True

    if permits(MAX_THREADS):
        return MAX_THREADS
    low, high = MAX_THREADS, 2 * MAX_THREADS
    while not permits(high):
        low, high = high, 2 * high
    while high - low > MAX_THREADS:
        middle = (low + high) // 2
        low, high = (low, middle) if permits(middle) else (middle, high)
    return high + MAX_THREADS


class PipeEnd:
    """One end of a pipe, with the socket methods that asyncio uses for its wake-up channel."""

    def __init__(self, descriptor):
        self.fileno = lambda: descriptor
        self.setblocking = lambda blocking: os.set_blocking(descriptor, blocking)
        self.send = lambda data: os.write(descriptor, data)
        self.recv = lambda size: os.read(descriptor, size)
        self.close = lambda: os.close(descriptor)


class AsyncioWithoutSockets:
    """
    Gives asyncio pipes for its wake-up channel, because the seccomp filter denies socketpair. asyncio loads slowly, so
    the patch is applied when it is imported.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "asyncio.selector_events":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            changed = types.ModuleType("socket")
            changed.__dict__.update(module.socket.__dict__, socketpair=lambda: [PipeEnd(end) for end in os.pipe()])
            module.socket = changed

        spec.loader.exec_module = exec_module
        return spec


def start_in_cpython():
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    lock = threading.Lock()
    wake = threading.Semaphore(0)

    def write(message):
        data = memoryview(json.dumps(message).encode("ascii") + b"\n")
        with lock:
            while data:
                data = data[os.write(outgoing, data) :]

    def read():
        held = []
        while True:
            data = os.read(incoming, 1 << 16)
            if not data:
                os._exit(0)  # the host has exited
            *lines, rest = data.split(b"\n")
            if not lines:
                held.append(rest)
                continue
            lines[0] = b"".join(held) + lines[0]
            held = [rest]
            for line in lines:
                channel.deliver(line)
                if channel.jobs:
                    wake.release()

    channel = Channel(write, None)
    guest = Guest(channel)
    threading.stack_size(1 << 19)
    threading.Thread(target=read, daemon=True).start()
    threading.stack_size(0)
    guest.prepare()
    sys.meta_path.insert(0, AsyncioWithoutSockets)
    channel.notify("ready", {"python": sys.version.split()[0]})
    for name in LIKELY:
        if channel.jobs:
            break
        try:
            __import__(name)
        except ImportError:
            pass
    limited = False
    while True:
        wake.acquire()
        if not channel.jobs:
            continue
        job = channel.jobs.pop(0)
        if not limited:
            limit_self(job["limits"])
            limited = True
        guest.run(job)


if sys.platform != "emscripten":
    start_in_cpython()
