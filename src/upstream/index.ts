export { type CallOptions, Connection } from './connection/connection.js';
export {
  accessError,
  authProviderFor,
  credentialStore,
  openBrowser,
  type SignedIn,
  type SignedOut,
  type SignInOptions,
  signedIn,
  signIn,
  signOut,
} from './oauth/index.js';
export { openServer } from './open-server.js';
export type { LaunchEnvironment } from './open-transport.js';
export { START_BUDGET } from './pool/backoff.js';
export { type Lease, type OpenServer, Pool, type PoolOptions } from './pool/pool.js';
export { SharedPool } from './pool/shared-pool.js';
export { passedKey, usualShare } from './pool/sharing.js';
export { type Guardian, startGuardian } from './process/guardian.js';
export { killOrphans } from './process/orphans.js';
export { readServerLog } from './process/server-log.js';
export type { SdkServerFactory } from './sdk-channel.js';
