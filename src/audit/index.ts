export type { Execution } from './audit-line.js';
export { type AuditLog, openAuditLog } from './audit-log.js';
export { type AuditReading, type ChainVerdict, readAudit } from './read-audit.js';
