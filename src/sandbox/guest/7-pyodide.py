# Starts the guest in Pyodide: one thread, no clock to wait on, the same two descriptors.
BRIDGES = ("js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "_pyodide_js")


class NoBridge:
    """Rejects imports of the JavaScript bridge with a clear error. The isolation itself is done by the host process."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in BRIDGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def cut_bridges():
    """Removes all references to JavaScript objects. This is not a security boundary, because ctypes can bypass it."""
    import gc

    finders = [finder for finder in sys.meta_path if type(finder).__module__.startswith("_pyodide")]
    sys.meta_path[:] = [NoBridge] + [finder for finder in sys.meta_path if finder not in finders]
    bridges = [module for name, module in sys.modules.items() if name.partition(".")[0] in BRIDGES]
    for module in bridges:
        sys.modules.pop(module.__name__, None)
    for holder in gc.get_objects():
        if type(holder).__module__ == "_pyodide._importhook":
            vars(holder).clear()
        elif type(holder) is dict:
            for key in [key for key, value in holder.items() if type(value).__name__ == "JsProxy"]:
                del holder[key]


def one_threaded_asyncio(channel, pump, wait):
    """Installs an event loop that waits only for the host."""
    import asyncio
    from asyncio import base_events, events

    class HostSelector:
        turns = 0

        def select(self, timeout):
            # Each poll is a round trip to the host, so while callbacks are ready the loop polls only every 100th turn.
            self.turns += 1
            if timeout is None:
                pump()
            elif timeout > 0 or self.turns % 100 == 0:
                wait(max(timeout, 0))
            return ()

    class HostLoop(base_events.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = HostSelector()

        def _process_events(self, found):
            pass

        def _write_to_self(self):
            pass

        def run_in_executor(self, executor, function, *given):
            """Runs the function immediately, because there is only one thread."""
            future = self.create_future()
            try:
                future.set_result(function(*given))
            except Exception as error:
                future.set_exception(error)
            return future

        async def shutdown_default_executor(self, timeout=None):
            pass

    def new_event_loop():
        return HostLoop()

    events._set_running_loop(None)
    events.new_event_loop = asyncio.new_event_loop = new_event_loop
    asyncio.run = asyncio.runners.run
    events.set_event_loop(None)


def one_threaded_futures():
    """Makes executors run their work in `submit`, because there is only one thread."""
    from concurrent.futures import Future, ThreadPoolExecutor

    def submit(self, function, /, *given, **named):
        with self._global_shutdown_lock if hasattr(self, "_global_shutdown_lock") else self._shutdown_lock:
            if self._shutdown:
                raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(function(*given, **named))
        except BaseException as error:
            future.set_exception(error)
        return future

    ThreadPoolExecutor.submit = submit


def refuse_plainly():
    """Replaces functions that would crash Pyodide with ones that raise an exception."""
    import socket

    def no_network(*given, **named):
        raise PermissionError(1, "the sandbox has no network")

    def no_process(*given, **named):
        raise PermissionError(1, "the sandbox cannot start processes")

    socket.socket.__init__ = no_network
    for name in ("create_connection", "socketpair", "getaddrinfo", "gethostbyname"):
        setattr(socket, name, no_network)
    for name in ("system", "popen"):
        setattr(os, name, no_process)


def start_in_pyodide():
    held = [b""]
    # Later writes to descriptors 1 and 2, from any code, must not reach the message channel.
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(2, 1)

    def write(message):
        data = memoryview(json.dumps(message).encode("ascii") + b"\n")
        while data:
            data = data[os.write(outgoing, data) :]

    def pump():
        """Blocks for one line from the host and delivers it."""
        parts = [held[0]]
        while b"\n" not in parts[-1]:
            data = os.read(incoming, 1 << 16)
            if not data:
                raise HostGone
            parts.append(data)
        line, held[0] = b"".join(parts).split(b"\n", 1)
        if line:
            channel.deliver(line)

    channel = Channel(write, pump)

    def wait(seconds):
        """Blocks until the time has passed or a message of the host arrives."""
        _, slot = channel.request("timer", {"ms": seconds * 1000}, lambda: None)
        pump()
        if slot.answer is None:
            timers.append(slot)
            # The host also answers timers that are no longer needed; limit how many are pending.
            while len([one for one in timers if one.answer is None]) > 8:
                pump()
            timers[:] = [one for one in timers if one.answer is None]

    def sleep(seconds):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        guest.out.flush()
        channel.ask("timer", {"ms": seconds * 1000})

    timers = []
    guest = Guest(channel)
    one_threaded_asyncio(channel, pump, wait)
    one_threaded_futures()
    refuse_plainly()
    time.sleep = sleep
    guest.prepare()
    cut_bridges()
    channel.notify("ready", {"python": sys.version.split()[0]})
    try:
        while True:
            while not channel.jobs:
                pump()
            guest.run(channel.jobs.pop(0))
    except HostGone:
        return


if sys.platform == "emscripten":
    start_in_pyodide()
