export type { EntryPath, Plain } from './edit-entry.js';
export { type EditedFile, type EditOptions, editFile } from './edit-file.js';
export { type EditFormat, readEntry, removeEntry, setEntry } from './edit-text.js';
export type { Range } from './text-style.js';
export { inlineMembers, statements } from './toml-scan.js';
