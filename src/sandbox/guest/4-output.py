# Sends the printed text, the saved files and the exceptions of the code to the host.
import base64, io, linecache, stat, traceback

# The first writes are sent immediately, so that a killed guest loses no output; later ones are buffered.
PROMPT_WRITES = 1000
PIECE = 4096
PIECE_SECONDS = 0.02
MAX_FILES = 100
MAX_TRACEBACK = 4000


class Printed(io.TextIOBase):
    """stdout or stderr: sent to the host up to a limit."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, channel, method):
        self._channel, self._method = channel, method
        self._lock = threading.RLock()
        self.begin(0)

    def begin(self, limit):
        self.left, self.cut, self._writes, self._held, self._sent = limit, False, 0, [], 0.0
        self._held_length = 0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        with self._lock:
            if self.left <= 0:
                self.cut = self.cut or bool(text)
                return len(text)
            kept = text[: self.left]
            size = len(kept) if kept.isascii() else len(kept.encode("utf-8", "replace"))
            self.cut = self.cut or len(kept) < len(text)
            self.left -= size
            self._writes += 1
            self._held.append(kept)
            self._held_length += len(kept)
            now = time.monotonic()
            if self._writes <= PROMPT_WRITES or self._held_length >= PIECE or now - self._sent > PIECE_SECONDS:
                self._sent = now
                self.flush()
        return len(text)

    def flush(self):
        with self._lock:
            text, self._held, self._held_length = "".join(self._held), [], 0
            # Split into chunks, because the host limits the length of a line.
            for start in range(0, len(text), 1 << 16):
                self._channel.notify(self._method, {"text": text[start : start + (1 << 16)]})

    @property
    def buffer(self):
        return PrintedBytes(self)


class PrintedBytes(io.RawIOBase):
    def __init__(self, printed):
        self._printed = printed

    def writable(self):
        return True

    def write(self, data):
        self._printed.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        self._printed.flush()


def own_frames(trace):
    """The stack frames of submitted code and of what it called, without those of the guest."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return [frame for frame in frames if frame.tb_frame.f_code.co_filename != GUEST_FILE]


def described(error, file):
    """Describes an exception for the host: type, text, line in the submitted code, traceback."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    try:
        text = str(error)
    except BaseException as worse:
        text = f"<no text: its __str__ raised {type(worse).__name__}>"
    lines = [frame.tb_lineno for frame in own_frames(error.__traceback__) if frame.tb_frame.f_code.co_filename == file]
    line = lines[-1] if lines else None
    if isinstance(error, SyntaxError) and error.filename == file:
        text, line = error.msg or "invalid syntax", error.lineno
    facts = {"type": name, "message": text[:MAX_TRACEBACK]}
    if isinstance(line, int):
        facts["line"] = line
    if isinstance(error, ToolError):
        facts["code"] = str(error.code)
    shown = trace_text(error)
    if shown:
        facts["traceback"] = shown
    return facts


def submitted(stack):
    """Drops the guest's own frames, up to the first frame of submitted code."""
    frames = list(itertools.dropwhile(lambda frame: not frame.filename.startswith("<run_python"), stack))
    return [frame for frame in frames if frame.filename != GUEST_FILE]


def trace_text(error):
    try:
        trace = traceback.TracebackException(type(error), error, error.__traceback__, limit=-20)
        part = trace
        while part is not None:
            part.stack = traceback.StackSummary.from_list(submitted(part.stack))
            part = part.__cause__ or part.__context__
        text = "".join(trace.format())
    except BaseException:
        return ""
    return text if len(text) <= MAX_TRACEBACK else text[:1000] + "\n…\n" + text[-(MAX_TRACEBACK - 1000) :]


def files_now():
    """Size and modification time of the regular files in the working directory."""
    found = {}
    try:
        for folder, folders, names in os.walk(WORK_FOLDER):
            folders[:] = [name for name in sorted(folders) if name != "__pycache__"]
            for name in sorted(names):
                path = os.path.join(folder, name)
                facts = os.lstat(path)
                if not stat.S_ISREG(facts.st_mode):
                    continue
                found[os.path.relpath(path, WORK_FOLDER)] = (facts.st_size, facts.st_mtime_ns)
                if len(found) > MAX_FILES:
                    return found
    except OSError:
        pass
    return found


# A thread may replace a file by a FIFO or a symlink after the type check, so opening must neither block nor follow.
OPEN_SAVED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


def content_of(path, limit):
    """The bytes of a regular file, or None if it is something else or cannot be read."""
    try:
        with open(os.open(path, OPEN_SAVED), "rb") as opened:
            return opened.read(limit + 1) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else None
    except OSError:
        return None


def files_saved(before, limit):
    """The files written in this run, with their content up to the limit."""
    saved, cut, left = [], False, limit
    for path, facts in files_now().items():
        if before.get(path) == facts:
            continue
        if len(saved) >= MAX_FILES:
            return saved, True
        file = {"path": path, "bytes": facts[0]}
        if facts[0] <= left:
            data = content_of(os.path.join(WORK_FOLDER, path), left)
            if data is None:
                continue
            left -= len(data)
            try:
                file["text"] = data.decode("utf-8")
            except UnicodeDecodeError:
                file["base64"] = base64.b64encode(data).decode("ascii")
        else:
            cut = True
        saved.append(file)
    return saved, cut


def result_of(value, limit):
    """The value of the last expression as text, and as JSON if the conversion is lossless."""
    if value is None:
        return None, False
    text = repr(value)
    cut = len(text) > limit
    result = {"text": text[:limit]}
    try:
        written = json.dumps(value, allow_nan=False)
        if len(written) <= limit and is_plain(value, 0):
            result["json"] = value
    except (TypeError, ValueError, RecursionError):
        pass
    return result, cut


def is_plain(value, depth):
    """JSON would turn tuples into lists, keys into strings and round large integers; such a value is sent as text only."""
    if depth > 60:
        return False
    if isinstance(value, dict):
        return all(type(key) is str and is_plain(item, depth + 1) for key, item in value.items())
    if isinstance(value, list):
        return all(is_plain(item, depth + 1) for item in value)
    if type(value) is int:
        return abs(value) <= MAX_INTEGER
    return value is None or type(value) in (str, float, bool)
