# Gives the submitted code its servers: `mcp_<alias>`, `mcp_servers`, `mcp.servers.<alias>`, `mcp.runtime`.
import difflib, types


class ToolError(Exception):
    """A failure reported by a tool or by the gateway. `code` is the error code."""

    def __init__(self, code, message, hint=None):
        super().__init__(message)
        self.code = code
        self.hint = hint


ToolError.__module__ = "mcp"


def answer_of(message):
    if "error" in message:
        fault = message["error"]
        data = fault.get("data") or {}
        raise ToolError(data.get("code", "CONNECTION_ERROR"), fault.get("message", ""), data.get("hint"))
    return message.get("result")


class Host:
    """Sends requests to the host. The calling code decides whether the response is awaited or blocks."""

    def __init__(self, channel):
        self.channel = channel
        self.modes = {}  # file name of submitted code -> whether it is asynchronous
        self.mode = False
        self.max_bytes = 0

    def is_async(self, depth):
        """A function from an earlier run keeps the mode of that run."""
        return self.modes.get(sys._getframe(depth + 1).f_code.co_filename, self.mode)

    def ready(self, params):
        written = json.dumps(params, default=plain, allow_nan=False)
        if len(written) > self.max_bytes:
            raise ToolError("LIMIT_EXCEEDED", f"the arguments are larger than {self.max_bytes} bytes")
        params = json.loads(written)
        lost = lost_integer(params["arguments"], written)
        if lost is not None:
            text = f"the integer {lost[0]} at {lost[1]} would lose precision in JSON; send it as a string"
            raise ToolError("TOOL_VALIDATION_ERROR", text)
        return params

    def ask(self, method, params, convert):
        params = self.ready(params)
        return convert(answer_of(self.channel.ask(method, params)))

    async def ask_later(self, method, params, convert):
        params = self.ready(params)
        return convert(answer_of(await self.channel.ask_later(method, params)))


def as_it_is(value):
    return value


class Tool:
    """One tool of one server, as a function."""

    def __init__(self, host, server, tool):
        self._host, self._server, self._tool = host, server, tool
        self.__name__ = self.__qualname__ = tool["alias"]
        self.__doc__ = tool.get("description") or ""
        self.__module__ = "mcp.servers." + server["alias"]
        self.name = tool["name"]
        self.description = tool.get("description") or ""
        self.input_schema = tool.get("input_schema") or {}

    def __call__(self, *given, **named):
        params = {
            "server": self._server["name"],
            "tool": self._tool["name"],
            "arguments": arguments_of(self._tool, given, named),
        }
        ask = self._host.ask_later if self._host.is_async(1) else self._host.ask
        return ask("tool", params, value_of)

    def __repr__(self):
        return f"<tool {self._server['name']}/{self._tool['name']}>"


# No alias can contain this character, so these attributes never hide a tool.
TOOLS, NAME, ANY = "\0tools", "\0name", "\0any"


class Server:
    """The tools of one server, by alias as attributes and by name as items."""

    def __init__(self, host, server):
        made = [(tool, Tool(host, server, tool)) for tool in server["tools"]]
        self.__dict__.update({tool["alias"]: function for tool, function in made})
        # Denied tools are not listed, but a call returns the reason for the denial.
        made += [(tool, Tool(host, server, tool)) for tool in server.get("refused", [])]
        self.__dict__[TOOLS] = {**{tool["alias"]: f for tool, f in made}, **{tool["name"]: f for tool, f in made}}
        self.__dict__[NAME] = server["name"]
        if server.get("unlisted"):
            # This server's tools are not known yet: the first call starts it, and the gateway checks the tool name.
            self.__dict__[ANY] = lambda name: Tool(host, server, {"name": name, "alias": name})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return find_tool(self, name, AttributeError)

    def __getitem__(self, name):
        return find_tool(self, name, KeyError)

    def __dir__(self):
        return aliases_of(self)

    def __iter__(self):
        return iter(aliases_of(self))

    def __repr__(self):
        return f"<server {self.__dict__[NAME]}: {', '.join(aliases_of(self)[:20])}>"


def aliases_of(server):
    return [name for name in server.__dict__ if name not in (TOOLS, NAME, ANY)]


def find_tool(server, name, failure):
    tool = server.__dict__[TOOLS].get(name)
    if tool is not None:
        return tool
    if ANY in server.__dict__:
        return server.__dict__[ANY](str(name))
    near = difflib.get_close_matches(str(name), aliases_of(server), 3, 0.5)
    meant = f"; did you mean {', '.join(near)}?" if near else ""
    raise failure(f"server {server.__dict__[NAME]!r} has no tool {name!r}{meant}")


class Servers(dict):
    """Servers by name or alias."""

    def __missing__(self, name):
        for server in AVAILABLE:
            if server["alias"] == name:
                return self[server["name"]]
        raise KeyError(f"no server {name!r} is available; available: {', '.join(self) or 'none'}")


AVAILABLE = []

RUNTIME = {
    "discovered_servers": ("detailed",),
    "list_servers": (),
    "list_tools": ("server",),
    "query_tool_docs": ("server", "tool", "detail"),
    "search_tool_docs": ("query", "limit", "detail"),
    "capability_summary": (),
    "save_memory": ("key", "value", "metadata"),
    "load_memory": ("key",),
    "update_memory": ("key", "value", "metadata"),
    "delete_memory": ("key",),
    "list_memories": (),
    "memory_exists": ("key",),
}


def runtime_function(host, name, parameters, always_blocks):
    def function(*given, **named):
        if len(given) > len(parameters):
            raise TypeError(f"{name}() takes {len(parameters)} arguments but {len(given)} were given")
        arguments = dict(zip(parameters, given))
        unknown = [key for key in named if key not in parameters or key in arguments]
        if unknown:
            raise TypeError(f"{name}() got an unexpected argument {unknown[0]!r}")
        arguments.update(named)
        ask = host.ask if always_blocks or not host.is_async(1) else host.ask_later
        is_tuple = name == "discovered_servers" and arguments.get("detailed") is True
        return ask("runtime", {"name": name, "arguments": arguments}, tuple if is_tuple else as_it_is)

    function.__name__ = function.__qualname__ = name + ("_sync" if always_blocks else "")
    function.__module__ = "mcp.runtime"
    return function


def module(name, content):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(content)
    return made


def install_modules(host):
    """Replaces `mcp`, even if a package of that name is installed."""
    for name in [name for name in sys.modules if name == "mcp" or name.startswith("mcp.")]:
        del sys.modules[name]
    functions = {}
    for name, parameters in RUNTIME.items():
        functions[name] = runtime_function(host, name, parameters, False)
        functions[name + "_sync"] = runtime_function(host, name, parameters, True)
    runtime = module("mcp.runtime", {"__all__": list(functions), "ToolError": ToolError, **functions})
    servers = module("mcp.servers", {"__path__": [], "__all__": []})
    module("mcp", {"__path__": [], "ToolError": ToolError, "runtime": runtime, "servers": servers})


def install_servers(host, namespace, servers):
    """Replaces the servers of the previous run with those of this run."""
    if not {"mcp", "mcp.runtime", "mcp.servers"} <= set(sys.modules):
        install_modules(host)
    for name in [name for name in sys.modules if name.startswith("mcp.servers.")]:
        del sys.modules[name]
    for server in AVAILABLE:
        namespace.pop("mcp_" + server["alias"], None)
    shown = ("name", "alias", "description", "tools")
    AVAILABLE[:] = [{key: server[key] for key in shown if key in server} for server in servers]
    parent = sys.modules["mcp.servers"]
    parent.__dict__["__all__"] = [server["alias"] for server in servers]
    table = Servers()
    for server in servers:
        proxy = Server(host, server)
        table[server["name"]] = namespace["mcp_" + server["alias"]] = proxy
        tools = {tool["alias"]: proxy[tool["name"]] for tool in server["tools"]}
        made = module("mcp.servers." + server["alias"], {**tools, "__all__": list(tools)})
        made.__dict__["__getattr__"] = proxy.__getattr__
        parent.__dict__[server["alias"]] = made
    namespace["mcp_servers"] = table
    namespace["AVAILABLE_SERVERS"] = list(AVAILABLE)
