#% one call and its value
item = mcp_shop.get_item(id=3)
print(item["name"], item["price"], type(item["stock"]).__name__)
#> item 3 30 int
#% pagination to the last page
items, page = [], 1
while True:
    got = mcp_shop.list_items(page=page, per_page=4)
    items += got["items"]
    if not got["more"]:
        break
    page += 1
print(page, len(items), sum(i["price"] for i in items), items[-1]["id"])
#> 3 10 550 10
#% a generator over pages
def every_item(size):
    page = 1
    while True:
        got = mcp_shop.list_items(page=page, per_page=size)
        yield from got["items"]
        if not got["more"]:
            return
        page += 1

expensive = [i["name"] for i in every_item(3) if i["price"] > 80]
print(expensive)
#> ['item 9', 'item 10']
#% a plain text result
answer = mcp_shop.describe(id=2)
print(type(answer).__name__, answer.upper())
#> str ITEM 2: A FINE THING
#% integers in a text result stay exact
print(mcp_shop.count() + 1, repr(mcp_shop.count()), mcp_shop.huge() - 1)
#> 11 10 12345678901234567889
#% several blocks of text
print(mcp_shop.blocks(kind="json"), mcp_shop.blocks(kind="text"))
#> [{'n': 1}, {'n': 2}] one
#> two
#% a content block that is not text
image = mcp_shop.picture()
print(image["type"], image["mimeType"])
#> image image/png
#% an empty result
print(mcp_shop.nothing())
#> None
#% a failing tool is an exception
import mcp
try:
    mcp_shop.fail(message="out of paper")
except mcp.ToolError as e:
    print(e.code, "|", e)
#> TOOL_EXECUTION_ERROR | out of paper
#% an error of the gateway has a code
from mcp import ToolError
try:
    mcp_shop.refuse()
except ToolError as e:
    print(e.code, str(e), e.hint)
#> TOOL_DISABLED refuse is switched off ask the owner
#% retries with backoff
import time
def call(attempts=4, pause=0.01):
    for n in range(1, attempts + 1):
        try:
            return n, mcp_shop.flaky(key="retries")
        except Exception as e:
            print("attempt", n, "failed:", e)
            time.sleep(pause)
            pause *= 2
    raise RuntimeError("gave up")
print(call())
#> attempt 1 failed: try again
#> attempt 2 failed: try again
#> (3, 'done')
#% one error does not stop the other calls
found, missing = {}, []
for id in [1, 99, 3]:
    try:
        found[id] = mcp_shop.get_item(id=id)["name"]
    except Exception:
        missing.append(id)
print(found, missing)
#> {1: 'item 1', 3: 'item 3'} [99]
#% three tools of two servers in one program
low = [i for i in mcp_shop.list_items(page=1, per_page=10)["items"] if i["stock"] < 3]
for item in low:
    text = mcp_shop.describe(id=item["id"])
    mcp_my_notes.add(title=f"order {item['name']}", text=text)
print(len(low), [n["title"] for n in mcp_my_notes.find(query="order")])
#> 4 ['order item 1', 'order item 2', 'order item 9', 'order item 10']
#% servers by name
shop = mcp_servers["shop"]
notes = mcp_servers["my-notes"]
print(shop is mcp_shop, notes is mcp_my_notes, "my-notes" in mcp_servers, sorted(mcp_servers))
print(shop["get_item"](id=1)["name"], mcp_servers["my_notes"] is notes)
#> True True True ['my-notes', 'shop']
#> item 1 True
#% tools imported by name
from mcp.servers.shop import *
from mcp.servers.my_notes import add, find
import mcp.servers.shop as shop_module
print(get_item(id=5)["name"], shop_module.describe(id=1), callable(add), find.name)
#> item 5 item 1: a fine thing True find
#% AVAILABLE_SERVERS
for server in AVAILABLE_SERVERS:
    print(server["name"], server["alias"], len(server["tools"]), server["tools"][0]["name"])
tool = next(t for t in AVAILABLE_SERVERS[0]["tools"] if t["name"] == "get_item")
print(tool["alias"], tool["description"], list(tool["input_schema"]["properties"]))
#> shop shop 17 list_items
#> my-notes my_notes 2 add
#> get_item one item ['id']
#% a tool and an argument with names that are Python keywords
print(mcp_shop.import_(from_="a.csv", max_rows=3))
#> {'from': 'a.csv', 'max-rows': 3}
#% arguments by position and as a dict
print(mcp_shop.get_item(4)["name"], mcp_shop.get_item({"id": 5})["name"])
try:
    mcp_shop.get_item(1, 2)
except TypeError as e:
    print(e)
#> item 4 item 5
#> get_item() takes 1 arguments but 2 were given
#% dates, sets, tuples and dataclasses as arguments
import datetime, dataclasses, enum, pathlib, decimal
@dataclasses.dataclass
class P:
    x: int
class E(enum.Enum):
    A = "a"
sent = mcp_shop.echo(day=datetime.date(2026, 1, 2), tags={"t"}, pair=(1, 2), p=P(3), e=E.A, f=pathlib.Path("a/b"), n=decimal.Decimal("2.50"))
print(sent)
try:
    mcp_shop.echo(bad=object())
except TypeError as e:
    print(e)
#> {'day': '2026-01-02', 'tags': ['t'], 'pair': [1, 2], 'p': {'x': 3}, 'e': 'a', 'f': 'a/b', 'n': 2.5}
#> object cannot be sent to a tool: it cannot be converted to JSON
#% an integer that JSON would change is refused with its position
import decimal, mcp, mcp.runtime
def refused(call):
    try:
        print(call())
    except mcp.ToolError as e:
        print(e.code, e)
print(mcp_shop.echo(n=2**53 - 1, m=1 - 2**53, t="9007199254740993", f=1e300))
refused(lambda: mcp_shop.echo(n=9007199254740993))
refused(lambda: mcp_shop.echo(a="12345678901234567890", deep={"rows": [1, {"id": -(2**53)}]}))
refused(lambda: mcp_shop.echo(n=decimal.Decimal(2**53)))
refused(lambda: mcp.runtime.save_memory("k", [10**100]))
#> {'n': 9007199254740991, 'm': -9007199254740991, 't': '9007199254740993', 'f': 1e+300}
#> TOOL_VALIDATION_ERROR the integer 9007199254740993 at n would lose precision in JSON; send it as a string
#> TOOL_VALIDATION_ERROR the integer -9007199254740992 at deep.rows[1].id would lose precision in JSON; send it as a string
#> TOOL_VALIDATION_ERROR the integer 9007199254740992 at n would lose precision in JSON; send it as a string
#> TOOL_VALIDATION_ERROR the integer 10000000000000000000000000000000000000000000000000000000000000000000000000000000… at value[0] would lose precision in JSON; send it as a string
#% a misspelt tool is refused with a suggestion
try:
    mcp_shop.get_items(id=1)
except AttributeError as e:
    print(e)
#> server 'shop' has no tool 'get_items'; did you mean get_item, list_items?
#% a large result that is reduced before it is returned
rows = mcp_shop.big(rows=20000)
print(len(rows), sum(r["v"] for r in rows), max(rows, key=lambda r: r["v"])["k"])
#> 20000 199990000 k19999
#% the runtime: servers, tools and their documents
import mcp.runtime as runtime
print(runtime.discovered_servers())
print([s["name"] for s in runtime.list_servers()], [t["name"] for t in runtime.list_tools("my-notes")])
print(runtime.query_tool_docs("shop", tool="get_item", detail="full"))
print(runtime.search_tool_docs_sync("items", limit=1), runtime.capability_summary())
print(runtime.discovered_servers(detailed=True), runtime.discovered_servers(False))
#> ['shop', 'my-notes']
#> ['shop', 'my-notes'] ['add', 'find']
#> {'server': 'shop', 'tool': 'get_item', 'detail': 'full'}
#> [{'query': 'items', 'limit': 1}] 2 servers
#> ({'name': 'shop'}, {'name': 'my-notes'}) ['shop', 'my-notes']
#% memories
from mcp import runtime
runtime.save_memory("plan", {"step": 1, "done": [True, None]}, metadata={"by": "me"})
runtime.update_memory("plan", {"step": 2})
print(runtime.load_memory("plan"), runtime.memory_exists("plan"), runtime.memory_exists("other"))
print([m["key"] for m in runtime.list_memories()], runtime.delete_memory("plan"), runtime.load_memory("plan"))
#> {'step': 2} True False
#> ['plan'] True None
#% results stored in a class
class Basket:
    def __init__(self):
        self.lines = {}
    def add(self, id, count=1):
        self.lines[id] = self.lines.get(id, 0) + count
        return self
    def total(self):
        return sum(mcp_shop.get_item(id=i)["price"] * n for i, n in self.lines.items())
print(Basket().add(1).add(2, 3).add(1).total())
#> 80
#% tools passed to map and sorted
names = list(map(lambda i: mcp_shop.get_item(id=i)["name"], [3, 1, 2]))
texts = list(map(mcp_shop.describe, [1, 2]))
print(sorted(names), texts)
#> ['item 1', 'item 2', 'item 3'] ['item 1: a fine thing', 'item 2: a fine thing']
#% a pool of threads around blocking calls
from concurrent.futures import ThreadPoolExecutor, as_completed
with ThreadPoolExecutor(max_workers=5) as pool:
    futures = {pool.submit(mcp_shop.get_item, id=i): i for i in range(1, 6)}
    prices = {futures[f]: f.result()["price"] for f in as_completed(futures)}
print(sorted(prices.items()), list(pool.map(str, []) if False else []))
#> [(1, 10), (2, 20), (3, 30), (4, 40), (5, 50)] []
#% the last expression is the value
{"total": sum(i["price"] for i in mcp_shop.list_items(page=1, per_page=10)["items"])}
#= {'total': 550}
#% a program without a value
print("only printed")
x = 5
#> only printed
#% exit ends the program without an error
import sys
print("before")
sys.exit()
print("never")
#> before
