export { Backoff, BUDGET_WINDOW_MS, START_BUDGET } from './backoff.js';
export type { CallOptions, Connection } from './connection.js';
export { eraOfVersion } from './greet.js';
export { type Guardian, startGuardian } from './guardian.js';
export {
  accessError,
  authProviderFor,
  type CredentialStore,
  credentialStore,
  openBrowser,
  type SignedIn,
  type SignedOut,
  type SignInOptions,
  signedIn,
  signIn,
  signOut,
} from './oauth/index.js';
export { type OpenContext, openServer } from './open-server.js';
export type { Surroundings } from './open-transport.js';
export { type Lease, type OpenServer, Pool, type PoolOptions, type ServerStatus } from './pool.js';
export type { Access } from './remote-target.js';
export type { SdkServer, SdkServerFactory } from './sdk-channel.js';
export { readServerLog } from './server-log.js';
export { passedKey, type Share, usualShare } from './share.js';
export { type RunningServer, SharedPool } from './shared-pool.js';
export type { Tenant } from './slot.js';
export { reapStrays } from './strays.js';
