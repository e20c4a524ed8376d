#% a class with a property and comparison
from functools import total_ordering

@total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(int(p) for p in text.split("."))
    @property
    def major(self):
        return self.parts[0]
    def __eq__(self, other):
        return self.parts == other.parts
    def __lt__(self, other):
        return self.parts < other.parts
    def __repr__(self):
        return "v" + ".".join(map(str, self.parts))

versions = [Version(t) for t in ["1.10.0", "1.2.3", "2.0.0", "1.2"]]
print(sorted(versions))
print(max(versions).major, Version("1.0") <= Version("1.0"))
#> [v1.2, v1.2.3, v1.10.0, v2.0.0]
#> 2 True
#% dataclasses with defaults and replace
from dataclasses import dataclass, field, asdict, replace

@dataclass(frozen=True)
class Issue:
    id: int
    title: str
    labels: list = field(default_factory=list)
    open: bool = True

one = Issue(1, "crash on start", ["bug"])
two = replace(one, id=2, open=False)
print(one)
print(asdict(two))
try:
    one.id = 3
except Exception as e:
    print(type(e).__name__, e)
#> Issue(id=1, title='crash on start', labels=['bug'], open=True)
#> {'id': 2, 'title': 'crash on start', 'labels': ['bug'], 'open': False}
#> FrozenInstanceError cannot assign to field 'id'
#% a generator pipeline
def numbers():
    n = 0
    while True:
        yield n
        n += 1

def take(items, count):
    for _, item in zip(range(count), items):
        yield item

def squares(items):
    yield from (i * i for i in items if i % 2)

print(list(take(squares(numbers()), 5)))
#> [1, 9, 25, 49, 81]
#% a generator that receives values with send
def average():
    total, count, value = 0, 0, None
    while True:
        got = yield value
        total += got
        count += 1
        value = total / count

g = average()
next(g)
print([g.send(x) for x in (10, 20, 60)])
g.close()
#> [10.0, 15.0, 30.0]
#% structural pattern matching
def describe(value):
    match value:
        case {"type": "user", "name": str(name), **rest}:
            return f"user {name} {sorted(rest)}"
        case [first, *others] if others:
            return f"list from {first} and {len(others)} more"
        case int() | float() as number:
            return f"number {number}"
        case None:
            return "nothing"
        case _:
            return "unknown"

for v in [{"type": "user", "name": "ada", "id": 1, "age": 3}, [1, 2, 3], 4.5, None, [1], "x"]:
    print(describe(v))
#> user ada ['age', 'id']
#> list from 1 and 2 more
#> number 4.5
#> nothing
#> unknown
#> unknown
#% decorators with arguments
import functools

def retry(times):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            for attempt in range(1, times + 1):
                try:
                    return f(*args, **kwargs)
                except ValueError as e:
                    print(f"attempt {attempt}: {e}")
            return None
        return inner
    return wrap

state = {"n": 0}

@retry(times=3)
def unstable():
    """doc"""
    state["n"] += 1
    if state["n"] < 3:
        raise ValueError("not yet")
    return state["n"]

print(unstable(), unstable.__name__, unstable.__doc__)
#> attempt 1: not yet
#> attempt 2: not yet
#> 3 unstable doc
#% context managers
from contextlib import contextmanager, ExitStack, suppress

@contextmanager
def step(name):
    print("begin", name)
    try:
        yield name.upper()
    finally:
        print("end", name)

with ExitStack() as stack:
    names = [stack.enter_context(step(n)) for n in ("a", "b")]
    print(names)
with suppress(KeyError):
    {}["x"]
print("after")
#> begin a
#> begin b
#> ['A', 'B']
#> end b
#> end a
#> after
#% enums and flags
from enum import Enum, IntFlag, auto

class State(Enum):
    OPEN = "open"
    DONE = "done"

class Right(IntFlag):
    READ = auto()
    WRITE = auto()

print(State("open"), State.DONE.value, [s.name for s in State])
print(Right.READ | Right.WRITE == 3, Right.WRITE in (Right.READ | Right.WRITE))
#> State.OPEN done ['OPEN', 'DONE']
#> True True
#% inheritance, super and abstract classes
from abc import ABC, abstractmethod

class Shape(ABC):
    @abstractmethod
    def area(self): ...
    def __str__(self):
        return f"{type(self).__name__}({self.area():.2f})"

class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2

class Cube(Square):
    def area(self):
        return 6 * super().area()

print(Square(2), Cube(1.5))
try:
    Shape()
except TypeError as e:
    print("abstract" in str(e))
#> Square(4.00) Cube(13.50)
#> True
#% comprehensions, walrus and unpacking
data = {"a": 3, "b": 7, "c": 12}
big = {k: v2 for k, v in data.items() if (v2 := v * 2) > 10}
first, *rest = sorted(data, key=data.get, reverse=True)
print(big, first, rest)
print({len(w) for w in "the quick brown fox".split()}, [[r * c for c in range(3)] for r in range(2)])
print({**data, "d": 1} | {"a": 0})
#> {'b': 14, 'c': 24} c ['b', 'a']
#> {3, 5} [[0, 0, 0], [0, 1, 2]]
#> {'a': 0, 'b': 7, 'c': 12, 'd': 1}
#% closures, lambdas and recursion with a cache
from functools import lru_cache, partial, reduce

@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc

c = counter()
c(); c(5)
print(fib(80), c(), partial(pow, 2)(10), reduce(lambda a, b: a * b, range(1, 8)))
#> 23416728348467685 7 1024 5040
#% big integers and exact decimals
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 30
print(2 ** 200)
print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / Decimal(7))
print(Fraction(3, 4) + Fraction(1, 6), round(2.675, 2), 7 // -2, -7 % 3, divmod(17, 5))
#> 1606938044258990275541962092341162602522202993782792835301376
#> 0.3 0.142857142857142857142857142857
#> 11/12 2.67 -4 2 (3, 2)
#% an exception group and notes
def check(values):
    errors = []
    for v in values:
        try:
            int(v)
        except ValueError as e:
            e.add_note(f"value was {v!r}")
            errors.append(e)
    if errors:
        raise ExceptionGroup("bad values", errors)

try:
    check(["1", "x", "3", "y"])
except* ValueError as group:
    for e in group.exceptions:
        print(e.__notes__)
#> ["value was 'x'"]
#> ["value was 'y'"]
#% chained exceptions and finally
def load():
    try:
        return {}["missing"]
    except KeyError as e:
        raise RuntimeError("cannot load") from e
    finally:
        print("cleanup")

try:
    load()
except RuntimeError as e:
    print(repr(e), "because of", repr(e.__cause__))
else:
    print("never")
#> cleanup
#> RuntimeError('cannot load') because of KeyError('missing')
#% a small state machine with __slots__ and dunder methods
class Stack:
    __slots__ = ("_items",)
    def __init__(self, *items):
        self._items = list(items)
    def __len__(self):
        return len(self._items)
    def __getitem__(self, i):
        return self._items[i]
    def __iadd__(self, other):
        self._items.append(other)
        return self
    def __contains__(self, x):
        return x in self._items
    def __enter__(self):
        return self
    def __exit__(self, *a):
        self._items.clear()
        return True

with Stack(1, 2) as s:
    s += 3
    print(len(s), s[-1], list(s), 2 in s)
    raise ValueError("swallowed")
print(len(s), bool(s))
#> 3 3 [1, 2, 3] True
#> 0 False
#% typing constructs at run time
from typing import NamedTuple, TypedDict, Protocol, Optional, Generic, TypeVar, runtime_checkable
T = TypeVar("T")

class Point(NamedTuple):
    x: float
    y: float = 0

class Movie(TypedDict, total=False):
    title: str

@runtime_checkable
class Closer(Protocol):
    def close(self): ...

class Box(Generic[T]):
    def __init__(self, item: T) -> None:
        self.item: Optional[T] = item
    def close(self): pass

print(Point(1)._replace(y=2), Movie(title="x"), isinstance(Box(1), Closer), Box[int](3).item)
#> Point(x=1, y=2) {'title': 'x'} True 3
