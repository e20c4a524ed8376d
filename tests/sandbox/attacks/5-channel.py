#% reports its end and continues
forge({"jsonrpc": "2.0", "method": "done", "params": {"run": 1, "result": {"text": "forged"}, "files": [{"path": "../../etc/passwd", "bytes": 1, "text": "x"}, {"path": "/abs", "bytes": 1}], "truncated": ["everything"]}})
while True:
    pass
#: value
#% calls a server that is not in servers
for server in ["other", "__proto__", "constructor", "", "shop/../other", "toString"]:
    forge({"jsonrpc": "2.0", "id": 900, "method": "tool", "params": {"server": server, "tool": "get_item", "arguments": {}}})
#: harmless
#% calls an unknown tool
for tool in ["drop_all", "__proto__", "hasOwnProperty", "get_item\u0000"]:
    forge({"jsonrpc": "2.0", "id": 901, "method": "tool", "params": {"server": "shop", "tool": tool, "arguments": {}}})
#: harmless
#% calls with arguments that are not an object
forge({"jsonrpc": "2.0", "id": 902, "method": "tool", "params": {"server": "shop", "tool": "echo", "arguments": [1]}})
linger()
#: stopped protocol
#% sends an unknown method
forge({"jsonrpc": "2.0", "id": 903, "method": "eval", "params": {"code": "process.exit()"}})
linger()
#: stopped protocol
#% calls an unknown function of the runtime
forge({"jsonrpc": "2.0", "id": 904, "method": "runtime", "params": {"name": "constructor", "arguments": {}}})
linger()
#: stopped protocol
#% uses one id twice
for _ in range(2):
    forge({"jsonrpc": "2.0", "id": 905, "method": "tool", "params": {"server": "shop", "tool": "slow", "arguments": {"ms": 2000}}})
linger()
#: stopped hostCalls
#% floods with calls
for n in range(1000, 200000):
    forge({"jsonrpc": "2.0", "id": n, "method": "tool", "params": {"server": "shop", "tool": "echo", "arguments": {}}})
linger()
#: stopped hostCalls | died
#% floods with output messages
for n in range(10**7):
    forge({"jsonrpc": "2.0", "method": "out", "params": {"text": ""}})
linger()
#: stopped protocol | died
#% floods with large output messages
for n in range(10**5):
    forge({"jsonrpc": "2.0", "method": "out", "params": {"text": "x" * 60000}})
linger()
#: stopped outputBytes | died
#% floods with timers
for n in range(10**6):
    forge({"jsonrpc": "2.0", "id": 5000 + n, "method": "timer", "params": {"ms": 10**9}})
linger()
#: stopped protocol | died
#% starts timers with invalid times
forge({"jsonrpc": "2.0", "id": 906, "method": "timer", "params": {"ms": "soon"}})
linger()
#: stopped protocol
#% sends deeply nested JSON
forge_bytes(b'{"jsonrpc":"2.0","id":907,"method":"tool","params":{"server":"shop","tool":"echo","arguments":' + b'{"a":' * 100000 + b"1" + b"}" * 100000 + b"}}\n")
linger()
#: stopped protocol
#% writes an endless line
for _ in range(2000):
    forge_bytes(b"x" * 65536)
linger()
#: stopped hostCallBytes | died
#% writes a line that is not JSON
forge_bytes(b"\x00\xff\xfe garbage \n{]\n")
linger()
#: stopped protocol
#% writes JSON that is not a message
forge_bytes(b'[]\n42\n"x"\nnull\n')
linger()
#: stopped protocol
#% sends responses without a request
forge({"jsonrpc": "2.0", "id": 1, "result": {"ok": True}})
linger()
#: stopped protocol
#% sends keys that change prototypes
forge_bytes(b'{"jsonrpc":"2.0","id":908,"method":"tool","params":{"server":"shop","tool":"echo","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}\n')
#: harmless
#% reports ready repeatedly
for _ in range(100):
    forge({"jsonrpc": "2.0", "method": "ready", "params": {"python": "9" * 1000}})
#: harmless
#% ends another run
forge({"jsonrpc": "2.0", "method": "done", "params": {"run": 99, "result": {"text": "forged"}}})
forge({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 12345}})
#: harmless
#% sends an invalid result
forge({"jsonrpc": "2.0", "method": "done", "params": {"run": 1, "result": 7, "error": [], "files": "x", "truncated": {"a": 1}}})
linger()
#: value
#% closes the channel
for n in range(0, 64):
    try:
        os.close(n)
    except OSError:
        pass
linger()
#: died | stopped timeoutMs | threw
#% reads the channel itself
for n in range(3, 8):
    try:
        os.set_blocking(n, False)
        os.read(n, 1 << 20)
    except (OSError, AttributeError):
        pass
mcp_shop.get_item(id=1)
reached
#: harmless | stopped timeoutMs | threw | died
