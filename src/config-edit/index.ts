export { type EntryPath, type Plain, plainOf, valueAt, valueWith, valueWithout } from './edit-entry.js';
export { type EditedFile, type EditOptions, editFile } from './edit-file.js';
export { addListItem, type EditFormat, readEntry, removeEntry, removeListItem, setEntry } from './edit-text.js';
export type { Range } from './text-style.js';
export { inlineMembers, statements } from './toml-scan.js';
