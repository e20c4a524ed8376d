export { Catalog } from './catalog.js';
export type { CatalogEntry, CatalogTool } from './catalog-entry.js';
export { diskStore, withoutCache } from './catalog-store.js';
export type { PinVerdict } from './tool-pins.js';
