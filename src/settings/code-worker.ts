/**
 * The program of the worker thread that runs settings written as code. It is a string because the bundle has no
 * separate file for it. It evaluates the text it receives instead of reading the file, which may have changed since it
 * was approved.
 */
export const CODE_WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { isBuiltin } = require('node:module');
const { jiti: loader, path, text, alone, keys } = workerData;
// Standard output belongs to the protocol.
console.log = console.info = console.debug = console.error;

const plain = (key, value) => {
  if (value instanceof RegExp) return String(value);
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw new Error('"' + key + '" is a ' + typeof value + '; settings are plain data');
  return value;
};

const run = async () => {
  const jiti = require(loader).createJiti(path, { fsCache: false, moduleCache: false, sourceMaps: false });
  const options = { filename: path, ext: path.slice(path.lastIndexOf('.')), async: true, forceTranspile: true };
  if (alone) {
    const code = jiti.transform({ source: text, filename: path, ts: true, async: true });
    const names = [...code.matchAll(/\\b(?:jitiImport|require|import)\\(\\s*["'\`]([^"'\`]+)["'\`]/g)].map(([, name]) => name);
    const others = names.filter((name) => !isBuiltin(name));
    if (others.length > 0)
      throw new Error('it imports ' + others.join(', ') + ', and an approval covers this one file only');
  }
  const loaded = await jiti.evalModule(text, options);
  const exported = loaded && typeof loaded === 'object' && 'default' in loaded ? loaded.default : loaded;
  const settings = await (typeof exported === 'function' ? exported() : exported);
  const isPicked = keys && settings && typeof settings === 'object';
  const wanted = isPicked ? Object.fromEntries(keys.filter((key) => key in settings).map((key) => [key, settings[key]])) : settings;
  return JSON.stringify(wanted, plain) ?? 'null';
};

const fault = (error) => {
  const [message = ''] = String(error?.message ?? error).split('\\n');
  const [, after = ''] = String(error?.stack ?? '').concat('\\n', String(error?.message ?? '')).split(path + ':');
  const line = Number.parseInt(after, 10);
  return { message: message.trim(), ...(line > 0 && { line }) };
};

run().then(
  (json) => parentPort.postMessage({ json }),
  (error) => parentPort.postMessage(fault(error)),
);
`;
