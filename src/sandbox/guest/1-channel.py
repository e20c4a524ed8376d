# The guest program, the same for every engine. Its parts are concatenated in the order of their file names.
# Nothing here is a security boundary: the surrounding process isolates the code, and the host trusts no message.
import itertools, json, os, sys, threading, time


class HostGone(BaseException):
    """The host closed the channel, so the guest exits."""


class Slot:
    """Receives the response to one request."""

    __slots__ = ("answer", "arrived")

    def __init__(self, arrived):
        self.answer = None
        self.arrived = arrived


class Channel:
    """JSON-RPC lines to and from the host. `pump` reads one line if no thread reads the channel."""

    def __init__(self, write, pump):
        self._write = write
        self._pump = pump
        self._ids = itertools.count(1)
        self._slots = {}
        self.jobs = []

    def notify(self, method, params):
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params, arrived):
        number = next(self._ids)
        slot = self._slots[number] = Slot(arrived)
        try:
            self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except BaseException:
            self._slots.pop(number, None)
            raise
        return number, slot

    def forget(self, number):
        if self._slots.pop(number, None) is not None:
            self.notify("cancel", {"id": number})

    def deliver(self, line):
        message = json.loads(line)
        if message.get("method") == "job":
            self.jobs.append(message["params"])
            return
        slot = self._slots.pop(message.get("id"), None)
        if slot is not None:
            slot.answer = message
            slot.arrived()

    def ask(self, method, params):
        """Blocks until the host has responded."""
        if self._pump is None:
            event = threading.Event()
            _, slot = self.request(method, params, event.set)
            event.wait()
        else:
            _, slot = self.request(method, params, lambda: None)
            while slot.answer is None:
                self._pump()
        return slot.answer

    async def ask_later(self, method, params):
        """Suspends the coroutine until the host has responded."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def arrived():
            try:
                loop.call_soon_threadsafe(lambda: future.done() or future.set_result(None))
            except RuntimeError:
                pass  # the loop was closed, so nothing waits for the response

        number, slot = self.request(method, params, arrived)
        try:
            await future
        finally:
            self.forget(number)
        return slot.answer
