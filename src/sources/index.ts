export { type AnnouncedServer, type Announcements, runningServers } from './announced-servers.js';
export type { Client, Place, Program, RuleFile } from './client.js';
export { CLIENTS } from './client-table.js';
export { addedSource, explicitSource } from './explicit-source.js';
export { type Connector, connectorServers, entryFrom, givenServers } from './inline-servers.js';
export { type Entrance, entrancesOf, projectEntrances } from './install-target.js';
export { ownEntry } from './own-entry.js';
export { type Look, managedPlaces, type Readings, readRules, readSources } from './read-sources.js';
