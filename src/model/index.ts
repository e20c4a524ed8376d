export { type Alias, toAlias } from './alias.js';
export { Definition, Input, LaunchFields, Scope, State, Transport, type WrittenFields } from './definition.js';
export { maskChart, maskDefinition, maskServer, writtenBy } from './mask.js';
export { Problem, Severity } from './problem.js';
export { ABILITY_FOR, type Era, LEGACY_VERSIONS, META, MODERN_VERSION, UNSUPPORTED_VERSION } from './revisions.js';
export { Chart, Origin, Server } from './server.js';
export type { Conversation, Progress, ServerGreeting, Tool, ToolResult } from './tool.js';
