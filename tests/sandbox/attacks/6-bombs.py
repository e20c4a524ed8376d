#% a fork bomb
while True:
    try:
        os.fork()
    except OSError:
        break
#: harmless
#: pyodide threw | harmless
#: deno threw | harmless
#% a thread bomb
import threading, time
started = []
try:
    while len(started) < 5000:
        t = threading.Thread(target=time.sleep, args=(60,), daemon=True)
        t.start()
        started.append(t)
    reached.append("5000 threads")
except (RuntimeError, MemoryError):
    pass
#% a list that grows
held = []
while True:
    held.append(bytearray(1 << 20))
#: threw MemoryError | died
#% a string that doubles
x = "ab"
while True:
    x += x
#: threw MemoryError | died
#% one allocation of all memory
bytearray(1 << 40)
#: threw MemoryError | threw OverflowError | died
#% memory through file mappings
import mmap
held = []
while True:
    held.append(mmap.mmap(-1, 64 << 20))
    held[-1].write(bytes(64 << 20))
#: threw | died | stopped timeoutMs
#% memory through pipes
pipes = []
try:
    while len(pipes) < 20000:
        r, w = os.pipe()
        os.set_blocking(w, False)
        pipes.append((r, w))
        try:
            while True:
                os.write(w, bytes(1 << 16))
        except BlockingIOError:
            pass
except OSError:
    pass
#: harmless | died | stopped timeoutMs | threw
#% an endless loop
while True:
    pass
#: stopped timeoutMs
#% an endless loop that catches everything
while True:
    try:
        while True:
            x = 1
    except BaseException:
        continue
#: stopped timeoutMs
#% an endless loop in C
sum(x for x in iter(int, 1))
#: stopped timeoutMs
#% an endless regular expression
import re
re.match(r"(a+)+$", "a" * 60 + "b")
#: stopped timeoutMs
#% an endless computation of a number
str(9 ** 9 ** 8)
#: stopped timeoutMs | threw | died
#% unlimited recursion
sys.setrecursionlimit(10**9)
def f():
    f()
f()
#: died | threw | stopped timeoutMs
#% recursion in C
import json
x = []
for _ in range(200000):
    x = [x]
repr(x)
#: shown
#: threw | died | value
#% endless output
while True:
    print("x" * 1000)
#: stopped timeoutMs
#% endless output to stderr
while True:
    sys.stderr.write("y" * 10000)
#: stopped timeoutMs
#% endless writes to the descriptors of stdout and stderr
while True:
    os.write(2, b"z" * 65536)
#: stopped timeoutMs | stopped outputBytes
#% one output of many megabytes
print("x" * (30 << 20))
#: value
#% a result of many megabytes
["x" * 1000] * 30000
#: value
#: shown
#% a decompression bomb
import zlib
z = zlib.compressobj(9)
bomb = b"".join(z.compress(bytes(1 << 20)) for _ in range(1000)) + z.flush()
zlib.decompress(bomb)
#: threw MemoryError | died | stopped timeoutMs
#% an endless sleep
import time
time.sleep(10**6)
#: stopped timeoutMs
#% an endless wait in an event loop
import asyncio
await asyncio.Event().wait()
#: stopped timeoutMs
#% an event loop that never ends
import asyncio
async def spin():
    while True:
        await asyncio.sleep(0)
await asyncio.gather(*[spin() for _ in range(10)])
#: stopped timeoutMs
#% more calls than the limit
import mcp
made = 0
try:
    for made in range(10**6):
        mcp_shop.count()
except mcp.ToolError as e:
    if e.code != "LIMIT_EXCEEDED" or made != CALLS:
        reached.append((made, e.code))
#: harmless
#% all calls at the same time
import asyncio, mcp
results = await asyncio.gather(*[mcp_shop.count() for _ in range(CALLS + 5)], return_exceptions=True)
if sum(isinstance(r, mcp.ToolError) and r.code == "LIMIT_EXCEEDED" for r in results) != 5:
    reached.append("more calls than allowed")
#: harmless
#% arguments over the size limit
import mcp
try:
    mcp_shop.echo(x="y" * (64 << 20))
    reached.append("sent")
except (mcp.ToolError, MemoryError):
    pass
#: harmless | died
#% files over the size limit
with open("large.bin", "wb") as f:
    f.write(os.urandom(8 << 20))
#: harmless
