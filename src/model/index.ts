export { type Alias, toAlias } from './alias.js';
export { Definition, Input, LaunchFields, Scope, State, Transport } from './definition.js';
export { maskChart, maskDefinition, maskServer } from './mask.js';
export { Problem, Severity } from './problem.js';
export { Chart, Origin, Server } from './server.js';
