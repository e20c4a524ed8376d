export { Catalog, type CatalogOptions } from './catalog.js';
export type { CatalogEntry, CatalogTool } from './entry.js';
export type { PinVerdict } from './pins.js';
export { diskStore, type Store, withoutCache } from './store.js';
