// Starts Pyodide in a separate Node or Deno process and runs the guest in it. Python gets two file descriptors and no
// JavaScript object, so it has no reference from which it could reach the runtime.
const isDeno = 'Deno' in globalThis;
const [plan] = isDeno ? Deno.args : process.argv.slice(-1);
const { folder, snapshot, memoryBytes, fileBytes, input = 0, output = 1, make } = JSON.parse(plan);
const fs = isDeno ? undefined : await import('node:fs');
const PAGE = 65536;
// Messages of the runtime go to stderr, so that they are not parsed as messages of the guest.
const { console: said } = globalThis;
for (const method of ['log', 'info', 'debug', 'warn', 'trace', 'dir', 'table']) said[method] = said.error;

const readSome = isDeno ? (bytes) => Deno.stdin.readSync(bytes) ?? 0 : retrying((bytes) => fs.readSync(input, bytes));
const writeSome = isDeno ? (bytes) => Deno.stdout.writeSync(bytes) : retrying((bytes) => fs.writeSync(output, bytes));
const endAll = isDeno ? (code) => Deno.exit(code) : (code) => process.reallyExit(code);

/** The pipes should block. If they do not, poll with a short sleep. */
function retrying(act) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  return (bytes) => {
    for (;;) {
      try {
        return act(bytes);
      } catch (error) {
        if (error.code === 'EOF') return 0;
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  };
}

function readExactly(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const count = readSome(bytes.subarray(at));
    if (count === 0) endAll(0);
    at += count;
  }
  return bytes;
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSome(bytes.subarray(at));
}

// The only effective memory limit. When it is reached, Python raises MemoryError as usual.
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function limitedGrow(pages) {
  if (this.buffer.byteLength + pages * PAGE > memoryBytes) throw new RangeError('the memory limit is reached');
  return Reflect.apply(grow, this, [pages]);
};

if (!isDeno) {
  // Pyodide reads the error numbers through process.binding, which the permission model denies.
  const os = await import('node:os');
  const constants = { fs: fs.constants, os: os.constants };
  process.binding = () => constants;
  // Optimizing code that runs once took a quarter of the start time. An unknown V8 flag is only reported, not fatal.
  const v8 = await import('node:v8');
  v8.setFlagsFromString('--wasm-tiering-budget=20000000');
}

const slash = folder.replaceAll('\\', '/');
const { loadPyodide } = await import(new URL(`file://${slash.startsWith('/') ? '' : '/'}${slash}/pyodide.mjs`).href);
const bytes = snapshot === undefined ? undefined : isDeno ? Deno.readFileSync(snapshot) : fs.readFileSync(snapshot);
const quiet = () => undefined;
const pyodide = await loadPyodide({
  indexURL: folder,
  jsglobals: Object.create(null),
  env: { HOME: '/work', LANG: 'C.UTF-8', TZ: 'UTC' },
  stdout: quiet,
  stderr: quiet,
  ...(make && { _makeSnapshot: true }),
  ...(bytes && { _loadSnapshot: bytes }),
});

if (make) {
  pyodide.runPython(make);
  writeAll(pyodide.makeMemorySnapshot());
  endAll(0);
}

limitFiles(pyodide.FS, fileBytes);
pyodide.FS.mkdirTree('/work');
pyodide.FS.chdir('/work');

if (!isDeno) await closeNode();

const size = Number(new TextDecoder().decode(readExactly(8)));
const source = new TextDecoder().decode(readExactly(size));
pyodide.setStdin({ read: readSome, isatty: false });
pyodide.setStdout({ write: writeSome, isatty: false });
pyodide.setStderr({ write: tellErrors, isatty: false });
const { runPython } = pyodide;
runPython(`exec(compile(${JSON.stringify(source)}, "<portolan>", "exec"), {"__name__": "portolan"})`);
endAll(0);

/** Limits code that breaks out of WebAssembly: the permission model of Node 20 covers neither network nor signals. */
async function closeNode() {
  const refuse = () => {
    throw new Error('not allowed in the sandbox');
  };
  const { syncBuiltinESMExports } = await import('node:module');
  const [net, dgram, dns] = await Promise.all([import('node:net'), import('node:dgram'), import('node:dns')]);
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  for (const name of ['bind', 'connect', 'send', 'sendto']) dgram.Socket.prototype[name] = refuse;
  for (const holder of [dns.default, dns.default.promises, dns.Resolver.prototype]) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(holder));
    for (const [name, { value }] of members) if (typeof value === 'function') holder[name] = refuse;
  }
  for (const name of ['kill', '_kill', 'chdir', 'dlopen', '_linkedBinding', '_debugProcess', 'getBuiltinModule']) {
    process[name] = refuse;
  }
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel']) delete globalThis[name];
  syncBuiltinESMExports();
}

/** Sends output that bypasses `sys.stderr` as a message. The guest writes whole lines, so no message is split by it. */
function tellErrors(bytes) {
  const message = { jsonrpc: '2.0', method: 'err', params: { text: new TextDecoder().decode(bytes) } };
  writeAll(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  return bytes.length;
}

/** Limits the size of all files, because they are stored outside the WebAssembly memory. */
function limitFiles(system, limit) {
  let total = 0;
  const charge = (node, size) => {
    const growth = size - (node.usedBytes ?? 0);
    if (growth <= 0) return;
    if (total + growth > limit) total = counted(system.root);
    if (total + growth > limit) throw new system.ErrnoError(51); // ENOSPC
    total += growth;
  };
  const probe = system.open('/tmp/.portolan', 'w');
  const { stream_ops: streams, node_ops: nodes } = probe.node;
  system.close(probe);
  const { write, allocate } = streams;
  const { setattr } = nodes;
  streams.write = (stream, buffer, offset, length, position, canOwn) => {
    charge(stream.node, position + length);
    return write(stream, buffer, offset, length, position, canOwn);
  };
  if (allocate) {
    streams.allocate = (stream, offset, length) => {
      charge(stream.node, offset + length);
      return allocate(stream, offset, length);
    };
  }
  nodes.setattr = (node, attributes) => {
    if (attributes.size !== undefined) charge(node, attributes.size);
    return setattr(node, attributes);
  };
  system.unlink('/tmp/.portolan');
}

/** The total size of all files, computed without recursion. */
function counted(root) {
  let sum = 0;
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    sum += node.usedBytes ?? 0;
    if (node.contents && !ArrayBuffer.isView(node.contents)) {
      for (const child of Object.values(node.contents)) if (typeof child === 'object') left.push(child);
    }
  }
  return sum;
}
