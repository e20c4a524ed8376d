#% an uncaught exception
def parse(text):
    return int(text)
print("before")
parse("x1")
#> before
#! ValueError line 2: invalid literal for int() with base 10: 'x1'
#% a syntax error
x = 1
if x
    print(x)
#! SyntaxError line 2: expected ':'
#% an uncaught tool error
mcp_shop.get_item(id=1)

mcp_shop.fail(message="broken")
#! mcp.ToolError line 3: broken
#% an exception in a task
import asyncio
async def main():
    await asyncio.sleep(0)
    raise KeyError("k")
await main()
#! KeyError line 4: 'k'
#% a custom exception
class TooMuch(Exception):
    pass
raise TooMuch("9 > 8")
#! TooMuch line 3: 9 > 8
#% endless recursion
def f(n):
    return f(n + 1)
f(0)
#! RecursionError line 2: maximum recursion depth exceeded
#% an exit with a message
import sys
sys.exit("cannot go on")
#! SystemExit line 2: cannot go on
#% an undefined name
print(undefined_name)
#! NameError line 1: name 'undefined_name' is not defined
#% an assertion
total = 3
assert total == 4, f"total is {total}"
#! AssertionError line 2: total is 3
#% an unknown server
mcp_servers["nope"]
#! KeyError line 1: "no server 'nope' is available; available: shop, my-notes"
