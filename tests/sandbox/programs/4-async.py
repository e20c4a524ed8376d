#% concurrent calls
import asyncio
items = await asyncio.gather(*[mcp_shop.get_item(id=i) for i in range(1, 8)])
print([i["name"][-1] for i in items])
#> ['1', '2', '3', '4', '5', '6', '7']
#% asyncio.run around main
import asyncio
async def main():
    first = await mcp_shop.get_item(id=1)
    second = await mcp_shop.describe(id=first["id"] + 1)
    return first["name"], second
print(asyncio.run(main()))
#> ('item 1', 'item 2: a fine thing')
#% main as the last line
async def main():
    return (await mcp_shop.get_item(id=6))["price"]
main()
#= 60
#% a semaphore limits concurrent calls
import asyncio
gate, running, most = asyncio.Semaphore(3), 0, 0
async def one(i):
    global running, most
    async with gate:
        running += 1
        most = max(most, running)
        await mcp_shop.slow(ms=5)
        running -= 1
        return i
print(sum(await asyncio.gather(*(one(i) for i in range(12)))), most)
#> 66 3
#% failures and results from gather
import asyncio, mcp
results = await asyncio.gather(mcp_shop.get_item(id=1), mcp_shop.get_item(id=99), return_exceptions=True)
print([r["name"] if isinstance(r, dict) else f"{type(r).__name__}: {r}" for r in results])
#> ['item 1', 'ToolError: no item 99']
#% a call with a timeout
import asyncio
try:
    await asyncio.wait_for(mcp_shop.slow(ms=5000), timeout=0.05)
except asyncio.TimeoutError:
    print("gave up")
print((await mcp_shop.get_item(id=2))["name"])
#> gave up
#> item 2
#% as completed and tasks with names
import asyncio
async def timed(name, ms):
    await mcp_shop.slow(ms=ms)
    return name
tasks = [asyncio.create_task(timed(n, ms), name=n) for n, ms in [("slow", 400), ("fast", 1)]]
order = [await t for t in asyncio.as_completed(tasks)]
print(order, tasks[0].get_name())
#> ['fast', 'slow'] slow
#% a queue between producer and consumers
import asyncio
async def producer(queue):
    page = 1
    while True:
        got = await mcp_shop.list_items(page=page, per_page=5)
        for item in got["items"]:
            await queue.put(item["id"])
        if not got["more"]:
            break
        page += 1
    for _ in range(2):
        await queue.put(None)
async def consumer(queue, seen):
    while (id := await queue.get()) is not None:
        seen.append((await mcp_shop.get_item(id=id))["price"])
queue, seen = asyncio.Queue(maxsize=2), []
await asyncio.gather(producer(queue), consumer(queue, seen), consumer(queue, seen))
print(sum(seen), len(seen))
#> 550 10
#% a task group and an exception in it
import asyncio
async def bad():
    await asyncio.sleep(0.01)
    raise ValueError("no")
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(bad())
        group.create_task(mcp_shop.slow(ms=2000))
except* ValueError as e:
    print("group:", e.exceptions[0])
#> group: no
#% async generators and comprehensions
import asyncio
async def pages(size):
    page = 1
    while True:
        got = await mcp_shop.list_items(page=page, per_page=size)
        yield got["items"]
        if not got["more"]:
            return
        page += 1
print([len(p) async for p in pages(4)])
names = {i["id"]: i["name"] async for p in pages(6) for i in p}
print(len(names), names[10])
#> [4, 4, 2]
#> 10 item 10
#% an async context manager and an async iterator
class Session:
    async def __aenter__(self):
        self.note = await mcp_shop.describe(id=1)
        return self
    async def __aexit__(self, *a):
        print("closed")
    def __aiter__(self):
        self.n = 0
        return self
    async def __anext__(self):
        self.n += 1
        if self.n > 3:
            raise StopAsyncIteration
        return self.n
async with Session() as s:
    print(s.note, [n async for n in s])
#> item 1: a fine thing [1, 2, 3]
#> closed
#% sleeping, timers and the loop's clock
import asyncio, time
began = time.monotonic()
loop = asyncio.get_running_loop()
loop.call_later(0.01, print, "later")
await asyncio.gather(asyncio.sleep(0.05), asyncio.sleep(0.03), asyncio.sleep(0))
print("slept", 0.04 < time.monotonic() - began < 5)
#> later
#> slept True
#% blocking work in a thread
import asyncio, time
def work(n):
    time.sleep(0.01)
    return n * n
print(await asyncio.gather(*[asyncio.to_thread(work, n) for n in range(4)]))
#> [0, 1, 4, 9]
#% the runtime in asynchronous code
import mcp.runtime as runtime
servers = await runtime.list_servers()
print([s["name"] for s in servers], runtime.discovered_servers_sync(), len(await runtime.search_tool_docs("x")))
print(await runtime.discovered_servers(True))
#> ['shop', 'my-notes'] ['shop', 'my-notes'] 1
#> ({'name': 'shop'}, {'name': 'my-notes'})
#% locks, events and conditions
import asyncio
event, lock, log = asyncio.Event(), asyncio.Lock(), []
async def waiter(n):
    await event.wait()
    async with lock:
        log.append(n)
        await asyncio.sleep(0)
tasks = [asyncio.create_task(waiter(n)) for n in range(3)]
await asyncio.sleep(0)
event.set()
await asyncio.gather(*tasks)
print(log)
#> [0, 1, 2]
#% a retry helper that awaits
import asyncio
async def retried(call, times=5):
    for n in range(times):
        try:
            return await call()
        except Exception as e:
            print(n, e)
            await asyncio.sleep(0.001 * 2 ** n)
print(await retried(lambda: mcp_shop.flaky(key="async")))
#> 0 try again
#> 1 try again
#> done
