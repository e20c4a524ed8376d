#% counting words
import collections, re
text = "The cat and the dog. The END, and the cat!"
words = re.findall(r"[a-z]+", text.lower())
print(collections.Counter(words).most_common(3))
#> [('the', 4), ('cat', 2), ('and', 2)]
#% grouping rows and printing a table
from itertools import groupby
from operator import itemgetter
rows = [("eu", "b", 3), ("us", "a", 10), ("eu", "a", 4), ("us", "c", 1)]
rows.sort(key=itemgetter(0, 1))
for region, items in groupby(rows, key=itemgetter(0)):
    items = list(items)
    print(f"{region:<4}|{sum(i[2] for i in items):>5}|{', '.join(i[1] for i in items)}")
#> eu  |    7|a, b
#> us  |   11|a, c
#% named groups, sub with a function, verbose flag
import re
log = "2026-01-02 ERROR db: timeout after 30s\n2026-01-03 INFO web: started\n2026-01-04 ERROR web: 500"
pattern = re.compile(r"""
    ^(?P<day>\d{4}-\d\d-\d\d)\s+
    (?P<level>[A-Z]+)\s+(?P<unit>\w+):\s*(?P<text>.*)$
""", re.M | re.X)
print([m.groupdict() for m in pattern.finditer(log) if m["level"] == "ERROR"])
print(re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "3 apples and 12 pears"))
print(re.split(r"[;,]\s*", "a; b,c;d"), re.fullmatch(r"(\w+)@(\w+\.\w+)", "me@x.org").groups())
#> [{'day': '2026-01-02', 'level': 'ERROR', 'unit': 'db', 'text': 'timeout after 30s'}, {'day': '2026-01-04', 'level': 'ERROR', 'unit': 'web', 'text': '500'}]
#> 6 apples and 24 pears
#> ['a', 'b', 'c', 'd'] ('me', 'x.org')
#% dates and time zones without a database
from datetime import datetime, timedelta, timezone, date
start = datetime(2026, 2, 27, 23, 30, tzinfo=timezone.utc)
later = start + timedelta(days=1, hours=1)
print(later.isoformat(), later.strftime("%a %d %b %Y %H:%M"), (later - start).total_seconds())
print(datetime.fromisoformat("2026-03-01T10:00:00+02:00").astimezone(timezone.utc))
print(date(2024, 2, 29).replace(year=2025, day=28), date(2026, 11, 16).isocalendar().week)
print(datetime.strptime("16/11/26 07:08", "%d/%m/%y %H:%M"))
#> 2026-03-01T00:30:00+00:00 Sun 01 Mar 2026 00:30 90000.0
#> 2026-03-01 08:00:00+00:00
#> 2025-02-28 47
#> 2026-11-16 07:08:00
#% a JSON round trip
import json
source = '{"b": [1, 2.50, null, true], "a": {"ü": "\\u00e9\\n"}, "big": 12345678901234567890}'
value = json.loads(source)
print(value["big"] + 1, type(value["b"][0]).__name__, type(value["b"][1]).__name__)
print(json.dumps(value, sort_keys=True, ensure_ascii=False))
print(json.dumps({"x": (1, 2)}, indent=2))
try:
    json.loads("{bad")
except json.JSONDecodeError as e:
    print(e)
#> 12345678901234567891 int float
#> {"a": {"ü": "é\n"}, "b": [1, 2.5, null, true], "big": 12345678901234567890}
#> {
#>   "x": [
#>     1,
#>     2
#>   ]
#> }
#> Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
#% csv in memory
import csv, io
source = 'name,qty,note\nbolt,10,"a, b"\nnut,5,"say ""hi"""\n'
rows = list(csv.DictReader(io.StringIO(source)))
print(sum(int(r["qty"]) for r in rows), [r["note"] for r in rows])
out = io.StringIO()
w = csv.DictWriter(out, ["name", "qty"], extrasaction="ignore", lineterminator="\n")
w.writeheader()
w.writerows(sorted(rows, key=lambda r: int(r["qty"])))
print(out.getvalue(), end="")
#> 15 ['a, b', 'say "hi"']
#> name,qty
#> nut,5
#> bolt,10
#% statistics and rounding
import statistics as st, math
xs = [2, 4, 4, 4, 5, 5, 7, 9]
print(st.mean(xs), st.median(xs), st.pstdev(xs), st.mode(xs), st.quantiles(xs, n=4))
print(math.isclose(0.1 + 0.2, 0.3), math.floor(-1.5), math.comb(10, 3), f"{math.pi:.4f}", math.hypot(3, 4))
#> 5 4.5 2.0 4 [4.0, 4.5, 6.5]
#> True -2 120 3.1416 5.0
#% formatting numbers and text
n, name = 1234567.891, "ada"
print(f"{n:,.2f} {n:.3e} {255:#x} {255:08b} {0.257:.1%} {name!r:>8} {name:^9}|")
print("%-6s|%05d|%+.1f" % ("ab", 42, 3.14159), "{0}-{1}-{0}".format("x", "y"), f"{n=:.0f}")
print("{:>{w}}".format("r", w=4), "a,b,,c".split(","), " x ".strip(), "tITLE case".title())
#> 1,234,567.89 1.235e+06 0xff 11111111 25.7%    'ada'    ada   |
#> ab    |00042|+3.1 x-y-x n=1234568
#>    r ['a', 'b', '', 'c'] x Title Case
#% unicode, bytes and base64
import base64, hashlib, unicodedata
word = "naïve café 日本"
data = word.encode("utf-8")
print(len(word), len(data), data[:4], base64.b64encode(data).decode())
print(unicodedata.normalize("NFKD", "café").encode("ascii", "ignore").decode(), word[::-1])
print(hashlib.sha256(b"abc").hexdigest()[:16], "ß".upper(), "é" == "e\u0301", bytes.fromhex("00ff").hex(" "))
#> 13 19 b'na\xc3\xaf' bmHDr3ZlIGNhZsOpIOaXpeacrA==
#> cafe 本日 éfac evïan
#> ba7816bf8f01cfea SS False 00 ff
#% heap, bisect, deque and defaultdict
import heapq, bisect
from collections import deque, defaultdict, OrderedDict, ChainMap
tasks = [(3, "c"), (1, "a"), (2, "b")]
heapq.heapify(tasks)
print([heapq.heappop(tasks)[1] for _ in range(3)], heapq.nlargest(2, [5, 1, 9, 3]))
grades = [bisect.bisect([60, 70, 80, 90], s) for s in (59, 60, 85, 99)]
ring = deque(range(6), maxlen=4)
ring.rotate(1)
tree = defaultdict(lambda: defaultdict(int))
tree["a"]["x"] += 2
print(grades, list(ring), {k: dict(v) for k, v in tree.items()}, ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
#> ['a', 'b', 'c'] [9, 5]
#> [0, 1, 3, 4] [5, 2, 3, 4] {'a': {'x': 2}} 3
#% a shortest path
import heapq
graph = {"a": {"b": 7, "c": 3}, "b": {"d": 2}, "c": {"b": 1, "d": 8}, "d": {}}
def shortest(start, end):
    queue, seen = [(0, start, [start])], set()
    while queue:
        cost, node, path = heapq.heappop(queue)
        if node == end:
            return cost, path
        if node in seen:
            continue
        seen.add(node)
        for next_node, weight in graph[node].items():
            heapq.heappush(queue, (cost + weight, next_node, path + [next_node]))
print(shortest("a", "d"), shortest("d", "a"))
#> (6, ['a', 'c', 'b', 'd']) None
#% random numbers from a seed
import random
r = random.Random(7)
print([r.randint(1, 100) for _ in range(5)], r.choice("abcdef"), r.sample(range(10), 3))
items = list("abcd")
r.shuffle(items)
print(sorted(items), 0 <= random.random() < 1)
#> [42, 20, 51, 84, 7] a [8, 1, 5]
#> ['a', 'b', 'c', 'd'] True
#% files in the working folder
from pathlib import Path
import json, os, tempfile
folder = Path("report-files")
folder.mkdir()
(folder / "a.json").write_text(json.dumps({"n": 1}))
with open(folder / "b.txt", "a") as f:
    print("line", 1, file=f)
    print("line", 2, file=f)
print(sorted(p.name for p in folder.iterdir()), (folder / "b.txt").read_text().splitlines())
with tempfile.TemporaryDirectory() as d:
    print(os.path.isdir(d))
print(os.path.exists(d), folder.suffix == "", Path("x/y.tar.gz").stem)
#> ['a.json', 'b.txt'] ['line 1', 'line 2']
#> True
#> False True y.tar
#% parsing xml, urls, html and ini text
import xml.etree.ElementTree as ET, html, configparser
from urllib.parse import urlparse, parse_qs, urlencode, quote
root = ET.fromstring("<r><i id='1'>a</i><i id='2'><b>c</b></i></r>")
print([(i.get("id"), "".join(i.itertext())) for i in root.iter("i")])
u = urlparse("https://x.org:8080/a%20b?q=1&q=2#f")
print(u.port, u.path, parse_qs(u.query), urlencode({"a": "b c", "d": "é"}), quote("a/b c"))
c = configparser.ConfigParser()
c.read_string("[s]\nk = 3\n")
print(c.getint("s", "k"), html.unescape("&lt;b&gt; &amp;"))
#> [('1', 'a'), ('2', 'c')]
#> 8080 /a%20b {'q': ['1', '2']} a=b+c&d=%C3%A9 a/b%20c
#> 3 <b> &
#% an sqlite database in memory
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t (name text, n int)")
db.executemany("insert into t values (?, ?)", [("a", 1), ("b", 5), ("a", 3)])
print(db.execute("select name, sum(n) from t group by name order by 2 desc").fetchall())
#> [('b', 5), ('a', 4)]
#% an sqlite database in a file, with two connections
import os, sqlite3
db = sqlite3.connect("shop.db")
db.execute("create table stock (name text, n integer)")
db.executemany("insert into stock values (?, ?)", [("pen", 3), ("cup", 4)])
db.commit()
other = sqlite3.connect("shop.db")
print(other.execute("select sum(n) from stock").fetchone())
other.execute("delete from stock where name = 'pen'")
other.commit()
print(db.execute("select name, n from stock").fetchall())
db.close()
other.close()
os.remove("shop.db")
#> (7,)
#> [('cup', 4)]
#% text wrapping, templates and diffs
import textwrap, string, difflib
print(textwrap.fill("the quick brown fox jumps over the lazy dog", 20))
print(string.Template("$who owes ${n} EUR").substitute(who="ada", n=3))
print([line for line in difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")][3:])
print(textwrap.dedent("""
    x
      y
""").strip())
#> the quick brown fox
#> jumps over the lazy
#> dog
#> ada owes 3 EUR
#> [' a', '-b', '+c']
#> x
#>   y
#% compression and struct packing
import zlib, struct, io, zipfile
data = b"abc" * 1000
packed = zlib.compress(data)
print(len(packed) < 50, zlib.decompress(packed) == data, struct.unpack("<HI", struct.pack("<HI", 7, 70000)))
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w") as z:
    z.writestr("a.txt", "hello")
with zipfile.ZipFile(buffer) as z:
    print(z.namelist(), z.read("a.txt"))
#> True True (7, 70000)
#> ['a.txt'] b'hello'
#% sorting by several keys and stable order
people = [{"n": "bo", "a": 30}, {"n": "al", "a": 25}, {"n": "cy", "a": 30}, {"n": "di", "a": None}]
print([p["n"] for p in sorted(people, key=lambda p: (p["a"] is None, -(p["a"] or 0), p["n"]))])
print(sorted("bAc", key=str.casefold), list(zip(*[(1, "a"), (2, "b")])), any(p["a"] is None for p in people))
#> ['bo', 'cy', 'al', 'di']
#> ['A', 'b', 'c'] [(1, 2), ('a', 'b')] True
#% a logger and stderr
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.INFO, force=True)
logging.info("n=%d", 3)
logging.debug("hidden")
print("to stderr", file=sys.stderr)
written = sys.stdout.write("raw\n")
#> INFO n=3
#> raw
