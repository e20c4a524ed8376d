export { type AuditLog, type AuditLogOptions, openAuditLog } from './audit-log.js';
export type { AuditEntry, Execution } from './line.js';
export { type AuditReading, type ChainVerdict, type ReadAuditOptions, readAudit } from './read-audit.js';
export type { ChainState, Fault } from './verify-chain.js';
