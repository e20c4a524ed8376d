export { Catalog, type CatalogEntry, type CatalogOptions, type CatalogTool } from './catalog.js';
export type { PinVerdict } from './pins.js';
export { diskStore, type Store, withoutCache } from './store.js';
