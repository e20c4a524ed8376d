export type { EntryPath, Plain } from './edit-entry.js';
export { type EditedFile, type EditOptions, editFile } from './edit-file.js';
export { type EditFormat, readEntry, removeEntry, setEntry } from './edit-text.js';
