import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.js';
import { ModelProcess } from './model-process.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Packages with the interface of the real ones, whose `embed` is the given code. */
function packages(embed: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-model-'));
  folders.push(folder);
  const texts = {
    embeddings: `exports.initModel = async (source) => ({ embed: async (texts) => { ${embed} } });`,
    'model-embeddings-en': 'exports.modelSource = async () => ({});',
  };
  for (const [name, text] of Object.entries(texts)) {
    const own = join(folder, 'node_modules/@energetic-ai', name);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'index.js'), `console.log('loading'); ${text}`);
  }
  return folder;
}

describe('ModelProcess', () => {
  it('returns one vector for each text, in order', async () => {
    using model = new ModelProcess(packages('return texts.map((text) => [text.length, 0.123456]);'), silentLog);
    expect(model.isReady).toBe(false);
    const answers = await Promise.all([model.embed(['a', 'bb']), model.embed(['ccc'])]);
    expect(answers).toEqual([
      [
        [1, 0.1235],
        [2, 0.1235],
      ],
      [[3, 0.1235]],
    ]);
    expect(model.isReady).toBe(true);
  });

  it('gives the packages no variables of this process', async () => {
    using model = new ModelProcess(packages('return [[Object.keys(process.env).length]];'), silentLog);
    expect((await model.embed(['a']))[0]?.[0]).toBeLessThanOrEqual(2);
  });

  it('reports an error of the model and continues', async () => {
    using model = new ModelProcess(packages("if (texts[0] === 'bad') throw new Error('no'); return [[1]];"), silentLog);
    await expect(model.embed(['bad'])).rejects.toThrow('the model returned no vectors');
    expect(await model.embed(['good'])).toEqual([[1]]);
  });

  it('starts again after its process ended, and logs that', async () => {
    const logged: string[] = [];
    using model = new ModelProcess(packages("if (texts[0] === 'bad') process.exit(3); return [[1]];"), (_, message) =>
      logged.push(message),
    );
    await expect(model.embed(['bad'])).rejects.toThrow('it exited with 3');
    expect([model.isReady, logged]).toEqual([false, ['the model for search failed']]);
    expect(await model.embed(['good'])).toEqual([[1]]);
  });

  it('rejects what is open when it is closed', async () => {
    const model = new ModelProcess(packages('await new Promise(() => setInterval(() => 0, 1000));'), silentLog);
    const open = model.embed(['a']);
    model[Symbol.dispose]();
    await expect(open).rejects.toThrow('the model was stopped');
    await expect(model.embed(['b'])).rejects.toThrow('the model was closed');
  });
});
