export type { Client, Place } from './client.js';
export { CLIENTS } from './clients.js';
export { explicitSource } from './explicit.js';
export { findRepository, type Host, type Platform } from './host.js';
export { type Look, type Readings, readSources } from './read-sources.js';
