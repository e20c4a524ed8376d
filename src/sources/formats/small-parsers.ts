// One module for three parsers, because finding and loading three files takes longer than compiling them and most
// machines need all three.
export { default as json5 } from 'json5';
export { printParseErrorCode, visit } from 'jsonc-parser';
export { parseToml } from './toml.js';
