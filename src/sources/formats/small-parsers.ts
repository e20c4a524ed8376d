// One file to load for three parsers: on a machine with many clients all of them are needed, and finding and loading a file
// takes longer than compiling what is in it.
export { default as json5 } from 'json5';
export { printParseErrorCode, visit } from 'jsonc-parser';
export { parseToml } from './toml.js';
