export type { Client, Place, Program, RuleFile } from './client.js';
export { CLIENTS } from './clients.js';
export { type Entrance, entrancesOf } from './entrance.js';
export { addedSource, explicitSource } from './explicit.js';
export { type Connector, connectorServers, entryFrom, givenServers } from './given.js';
export { findRepository, type Host, type Platform } from './host.js';
export { type OwnEntry, ownEntry } from './own-entry.js';
export { type Look, managedPlaces, type Readings, readRules, readSources } from './read-sources.js';
export { type AnnouncedServer, type Announcements, runningServers } from './running.js';
