export { type EditFormat, readEntry, removeEntry, setEntry } from './edit-text.js';
export type { EntryPath, Plain } from './entry.js';
