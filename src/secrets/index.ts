export {
  readSecretRecords,
  type SecretRecord,
  sameSource,
  secretReference,
  secretsIn,
  withSecrets,
} from './secret-records.js';
export { type KeyStore, readSecret, type SecretFiles, storeSecret, systemKeyStore } from './secret-store.js';
