export { type AnnouncedServer, type Announcements, runningServers } from './announced-servers.js';
export type { Client, LaunchCommand, Place, RuleFile } from './client.js';
export { CLIENTS } from './client-table.js';
export { addedSource, explicitSource } from './explicit-source.js';
export { type Connector, connectorServers, entryFrom, inlineServers } from './inline-servers.js';
export { type InstallTarget, installTargetsOf, projectEntrances } from './install-target.js';
export { ownEntry } from './own-entry.js';
export { managedPlaces, type PathReading, readRules, readSources, type SourceReadings } from './read-sources.js';
export { unknownClient } from './unknown-client.js';
