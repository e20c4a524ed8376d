# Runs submitted code, one job at a time.
import ast, inspect, types as kinds

ASYNC_NODES = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)


class Program:
    """Parsed code: the statements to run, the expression to show, and whether it is asynchronous."""

    def __init__(self, code, file):
        tree = ast.parse(code, file)
        nodes = list(ast.walk(tree))
        self.is_async = any(
            isinstance(node, ASYNC_NODES) or (isinstance(node, ast.comprehension) and node.is_async) for node in nodes
        )
        last = tree.body[-1] if tree.body else None
        ends_in_value = isinstance(last, ast.Expr)
        body = ast.Module(tree.body[:-1] if ends_in_value else tree.body, tree.type_ignores)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.body = compile(body, file, "exec", flags, True)
        self.last = compile(ast.Expression(last.value), file, "eval", flags, True) if ends_in_value else None
        self.awaits = any(part is not None and part.co_flags & inspect.CO_COROUTINE for part in (self.body, self.last))

    def run(self, namespace):
        if self.awaits:
            import asyncio

            return asyncio.run(self._run_awaiting(namespace))
        exec(self.body, namespace)
        value = eval(self.last, namespace) if self.last is not None else None
        if not inspect.iscoroutine(value):
            return value
        import asyncio

        # If the last line is `main()` and returns a coroutine, its result is shown.
        return asyncio.run(value)

    async def _run_awaiting(self, namespace):
        for part in (self.body, self.last):
            value = None
            if part is None:
                continue
            value = eval(part, namespace)
            if part.co_flags & inspect.CO_COROUTINE:
                value = await value
        return await value if inspect.iscoroutine(value) else value


class Guest:
    """The interpreter's state between runs."""

    def __init__(self, channel):
        self.channel = channel
        self.host = Host(channel)
        self.main = kinds.ModuleType("__main__")
        self.namespace = self.main.__dict__
        self.runs = 0
        self.out, self.err = Printed(channel, "out"), Printed(channel, "err")

    def prepare(self):
        """Does all preparation that does not depend on the job."""
        sys.modules["__main__"] = self.main
        self.namespace["__builtins__"] = __builtins__
        sys.argv = ["run_python"]
        sys.stdout, sys.stderr = self.out, self.err
        sys.__stdout__, sys.__stderr__ = self.out, self.err
        sys.stdin = sys.__stdin__ = io.StringIO("")
        install_modules(self.host)

    def run(self, job):
        self.runs += 1
        limits = job["limits"]
        file = "<run_python>" if self.runs == 1 else f"<run_python {self.runs}>"
        for printed in (self.out, self.err):
            printed.begin(limits["outputBytes"])
        self.host.max_bytes = limits["hostCallBytes"]
        sys.stdout, sys.stderr = self.out, self.err
        before = files_now() if self.runs > 1 else {}
        done = {"run": job["run"]}
        value = None
        try:
            install_servers(self.host, self.namespace, job["servers"])
            linecache.cache[file] = (len(job["code"]), None, job["code"].splitlines(True), file)
            program = Program(job["code"], file)
            self.host.mode = self.host.modes[file] = program.is_async
            value = program.run(self.namespace)
            result, result_cut = result_of(value, limits["outputBytes"])
        except HostGone:
            raise
        except SystemExit as error:
            result, result_cut = None, False
            if error.code not in (None, 0):
                done["error"] = described(error, file)
        except BaseException as error:
            result, result_cut = None, False
            done["error"] = described(error, file)
        files, files_cut = files_saved(before, limits["fileBytes"])
        for printed in (self.out, self.err):
            printed.flush()
        cuts = {"stdout": self.out.cut, "stderr": self.err.cut, "result": result_cut, "files": files_cut}
        done.update(files=files, truncated=[name for name, cut in cuts.items() if cut])
        if result is not None:
            done["result"] = result
            self.namespace["_"] = value
        self.channel.notify("done", done)
