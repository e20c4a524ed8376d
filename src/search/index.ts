export type { Embedder, VectorCache } from './embedder.js';
export { energeticEmbedder } from './energetic-embedder.js';
export { namesSeveralNeeds } from './parse-query.js';
export type { IndexedTool, RememberedUse, ScoreParts, SearchOptions, SearchResult } from './search-types.js';
export { createToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index.js';
export { summaryOf } from './tool-summary.js';
export { MAX_USES, parseUses } from './usage-memory.js';
