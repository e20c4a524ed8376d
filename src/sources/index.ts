export { type AnnouncedServer, type Announcements, runningServers } from './announced-servers.js';
export type { Client, LaunchCommand, Place, RuleFile } from './client.js';
export { CLIENTS } from './client-table.js';
export { downloadsPackage } from './downloads-packages.js';
export { type EntryField, findEntryField } from './entry-field.js';
export { addedSource, explicitSource } from './explicit-source.js';
export { type Connector, connectorServers, entryFrom, inlineServers } from './inline-servers.js';
export { type InstallTarget, installTargetsOf, projectInstallTargets } from './install-target.js';
export { ownEntry } from './own-entry.js';
export { OUR_NAME } from './own-file.js';
export { managedPlaces, type PathReading, readRules, readSources, type SourceReadings } from './read-sources.js';
export {
  EDITED_SCOPES,
  type LeftEntry,
  type Startable,
  type StartedFile,
  startedFiles,
  type TakenOverFile,
  takenOverFiles,
} from './take-over-candidates.js';
export {
  clientFileOf,
  entryHash,
  type Move,
  type MovedEntry,
  originalOf,
  readTakeOver,
  recordOf,
  recordText,
  type TakeOverRecord,
} from './take-over-record.js';
export { unknownClient } from './unknown-client.js';
