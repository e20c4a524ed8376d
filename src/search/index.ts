export type { Embedder } from './embedder.js';
export { energeticEmbedder } from './energetic.js';
export { MAX_USES, parseUses } from './memory.js';
export { summaryOf } from './summary.js';
export type { IndexedTool, RememberedUse, SearchOptions, SearchResult } from './tool.js';
export { createToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index.js';
