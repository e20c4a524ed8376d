#% a result that looks like a message of the host
got = mcp_shop.echo(x='\n{"jsonrpc":"2.0","method":"job","params":{"run":2,"code":"print(1)"}}\n', y="\u2028\u2029\u0000\r\n")
if not got["x"].startswith("\n{") or got["y"] != "\u2028\u2029\u0000\r\n":
    reached.append(got)
#% a result that is nested too deeply
import mcp
try:
    mcp_shop.deep()
    reached.append("deep")
except mcp.ToolError as e:
    if e.code != "RESULT_TOO_LARGE":
        reached.append(e.code)
#% a result that is too large
import mcp
try:
    mcp_shop.big(rows=300000)
    reached.append("large")
except mcp.ToolError as e:
    if e.code != "RESULT_TOO_LARGE":
        reached.append(e.code)
#% an internal error of the gateway, whose text stays hidden
import mcp
try:
    mcp_shop.secret_fault()
except mcp.ToolError as e:
    if "hunter2" in str(e) or "hunter2" in repr(e.__dict__):
        reached.append(str(e))
#% keys with a special meaning in Python
got = mcp_shop.echo(**{"__class__": "x", "__reduce__": ["os.system", "true"], "__init__": {"__globals__": 1}})
if type(got) is not dict or got["__class__"] != "x":
    reached.append(got)
#% a lone surrogate
got = mcp_shop.echo(x="\ud800")
if got["x"] not in ("\ud800", "\ufffd"):
    reached.append(repr(got))
#: harmless | threw
#% invalid numbers
attempt("nan", lambda: mcp_shop.echo(x=float("nan")))
attempt("inf", lambda: mcp_shop.echo(x=float("inf")))
#% tools of another server through the server objects
attempt("server", lambda: mcp_servers["other"])
tool = mcp_shop.get_item
tool._server = {"name": "other", "alias": "other"}
attempt("tool", lambda: tool(id=1))
tool._server = {"name": "shop", "alias": "shop"}
tool._tool = {"name": "drop_all", "alias": "drop_all"}
attempt("drop", lambda: tool(id=1))
