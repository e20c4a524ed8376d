import { join } from 'node:path';
import type { Log } from '../base/index.js';
import type { Embedder, VectorCache } from '../search/index.js';
import { MODEL_VERSION } from '../use-cases/index.js';
import { ModelProcess } from './model-process.js';
import { VectorFile } from './vector-file.js';

/** What a tool index needs to compare tools and needs by their meaning. */
export interface SearchModel extends AsyncDisposable {
  readonly embedder: Embedder;
  readonly vectors: VectorCache;
}

export function openModel(folder: string, cache: string, log: Log): SearchModel {
  const embedder = new ModelProcess(folder, log);
  const vectors = new VectorFile(join(cache, 'vectors', `${MODEL_VERSION}.bin`), log);
  return {
    ...{ embedder, vectors },
    [Symbol.asyncDispose]: async () => {
      embedder[Symbol.dispose]();
      await vectors[Symbol.asyncDispose]();
    },
  };
}
