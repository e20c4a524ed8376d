export type {
  FoundTool,
  SearchAnswer,
  ServerAnswer,
  ServerList,
  ToolDetails,
  ToolList,
  ToolSummary,
} from './answers.js';
export { type AuditEntry, type AuditLog, type AuditReading, openAuditLog, readAudit } from './audit/index.js';
export { CallMetrics } from './call-metrics.js';
export type { CallDetails } from './execute.js';
export { Gateway } from './gateway.js';
export { CallGate } from './limit-gate.js';
export type { GatewayView } from './parts.js';
export type { PythonAnswer, PythonError } from './python/python-answer.js';
export type { PythonParts } from './python/python-parts.js';
export type { PythonRequest, PythonRun } from './python/run-python.js';
export { RememberedUse } from './remembered-use.js';
export { type ServedServer, servedServer } from './served-server.js';
export { type ToolView, viewTools } from './tool-view.js';
