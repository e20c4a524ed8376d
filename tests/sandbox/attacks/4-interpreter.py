#% searches the frames for objects of the host
frame = sys._getframe()
while frame:
    for name, value in list(frame.f_globals.items()) + list(frame.f_locals.items()):
        if type(value).__name__ in ("JsProxy", "JsCallable", "JsObject") or hasattr(value, "js_id"):
            reached.append(name)
            attempt("eval", lambda: value.constructor.constructor("return process")())
    frame = frame.f_back
#% searches the heap for JavaScript objects and their constructors
import gc
seen, left, found = set(), list(gc.get_objects()) + [sys.modules], []
frame = sys._getframe()
while frame:
    left += [frame.f_globals, dict(frame.f_locals)]
    frame = frame.f_back
while left:
    thing = left.pop()
    if id(thing) in seen:
        continue
    seen.add(id(thing))
    if type(thing).__name__ == "JsProxy":
        found.append(thing)
    left += gc.get_referents(thing)
for proxy in found:
    attempt("eval", lambda: proxy.constructor.constructor("return 7")())
    attempt("files", lambda: proxy.FS.readdir("/"))
    attempt("mount", lambda: proxy.mountNodeFS("/work/host", "/"))
    attempt("api", lambda: proxy._api.config)
#% searches the traceback of a failed call
try:
    mcp_shop.fail(message="x")
except Exception as e:
    trace = e.__traceback__
    while trace:
        for name, value in list(trace.tb_frame.f_locals.items()):
            if type(value).__name__.startswith("Js"):
                reached.append(name)
        trace = trace.tb_next
#% searches the subclasses of object
for kind in object.__subclasses__():
    if kind.__name__ in ("Popen", "_wrap_close"):
        attempt("system", lambda: kind.__init__.__globals__["system"]("true") == 0 or 1 / 0)
    if kind.__name__ == "CDLL":
        attempt("cdll", lambda: kind(None).system(b"true") == 0 or 1 / 0)
#: harmless
#: pyodide harmless | died
#: deno harmless | died
#% imports the bridge to JavaScript
for name in ["js", "pyodide_js", "_pyodide_core", "pyodide.ffi", "pyodide.code", "_pyodide._base", "_pyodide_js"]:
    attempt(name, lambda: __import__(name))
#% removes the import hook, then imports the bridge
if ENGINE in ("pyodide", "deno"):
    sys.meta_path[:] = [m for m in sys.meta_path if "NoBridge" not in repr(m)]
    for name in list(sys.modules):
        if "pyodide" in name:
            del sys.modules[name]
    try:
        import _pyodide_core
    except ImportError:
        pass
    for module in ["js", "pyodide_js", "_pyodide_core"]:
        got = sys.modules.get(module)
        for path in ("constructor.constructor", "globalThis.process", "process", "eval", "Function", "require", "Deno"):
            def climb():
                value = got
                for part in path.split("."):
                    value = getattr(value, part)
                return value("return 1")() if callable(value) else value
            attempt((module, path), climb)
#: harmless | threw | died
#% runs JavaScript with the functions of the bridge
if ENGINE in ("pyodide", "deno"):
    sys.meta_path[:] = [m for m in sys.meta_path if "NoBridge" not in repr(m)]
    def run(code):
        from pyodide.code import run_js
        return run_js(code)
    attempt("run_js", lambda: run("1 + 1"))
    attempt("process", lambda: run("process.env"))
#: harmless | threw | died
#% creates the module of the bridge
import importlib.machinery, _imp
for name in ["_pyodide_core", "js", "pyodide_js"]:
    def make():
        module = _imp.create_builtin(importlib.machinery.ModuleSpec(name, importlib.machinery.BuiltinImporter))
        _imp.exec_builtin(module)
        return module.run_js("1")
    attempt(name, make)
#: harmless | threw | died
#% evaluates a script with the C library of Emscripten
import ctypes
lib = ctypes.CDLL(None)
for name in ["emscripten_run_script_string", "emscripten_run_script_int", "emscripten_run_script"]:
    def script():
        f = getattr(lib, name)
        f.restype = ctypes.c_char_p if name.endswith("string") else ctypes.c_int
        return f(b"'reached ' + typeof process")
    attempt(name, script)
#: harmless | threw | died
#% calls exports of Pyodide with ctypes
import ctypes
lib = ctypes.CDLL(None)
for name in ["run_js", "pyodide_export_", "JsProxy_create", "hiwire_new", "_Py_DumpTraceback", "emscripten_asm_const_int", "system", "__syscall_connect"]:
    attempt(name, lambda: getattr(lib, name)() and 1 / 0)
reached.clear()
#: harmless | threw | died | stopped
#% loads its own library
import ctypes
open("evil.so", "wb").write(b"\x7fELF" + bytes(100))
attempt("so", lambda: ctypes.CDLL("/work/evil.so"))
open("evil.wasm", "wb").write(b"\0asm\1\0\0\0")
attempt("wasm", lambda: ctypes.CDLL("/work/evil.wasm"))
#: harmless | threw | died
#% writes into its own interpreter
import ctypes
ctypes.memset(0, 0, 1 << 20)
"survived"
#: died
#: pyodide value | threw | died
#: deno value | threw | died
#% runs crafted bytecode
def f(): pass
f.__code__ = f.__code__.replace(co_code=bytes([100, 255] * 50), co_consts=(), co_stacksize=1)
f()
#: value | threw | died
#% replaces functions of the guest
import json, builtins
json.dumps = json.loads = lambda *a, **k: "forged"
builtins.print = builtins.len = builtins.isinstance = None
sys.stdout = sys.stderr = None
sys.modules.clear()
#: value | threw | died | stopped
#% raises an exception whose text cannot be computed
class Bad(Exception):
    def __str__(self):
        raise Bad()
    __repr__ = __str__
raise Bad
#: threw
#% returns a value whose repr fails
class Bad:
    def __repr__(self):
        raise SystemExit
Bad()
#: value | threw
#: shown
#% returns a value with an endless repr
class Endless:
    def __repr__(self):
        while True:
            pass
Endless()
#: stopped timeoutMs
#: shown
#% raises an exception with a text of many megabytes
raise ValueError("x" * (50 << 20))
#: threw
#% unpickles a command
import pickle
class Command:
    def __reduce__(self):
        return (os.system, ("echo canary",))
attempt("pickle", lambda: pickle.loads(pickle.dumps(Command())) == 0 or 1 / 0)
#: harmless
#: pyodide harmless | died
#: deno harmless | died
#% reads other sessions with the garbage collector
import gc
attempt("canary", lambda: [o for o in gc.get_objects() if isinstance(o, dict) and o.get("session_secret") == 1] or 1 / 0)
