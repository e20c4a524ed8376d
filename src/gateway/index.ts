export { CallMetrics } from './call-metrics.js';
export { Gateway } from './gateway.js';
export type { FoundTool, SearchAnswer, ServerList, ToolDetails, ToolList } from './gateway-answers.js';
export type { GatewayView } from './gateway-dependencies.js';
export { CallGate } from './limits/call-gate.js';
export type { PythonAnswer, PythonError } from './python/python-answer.js';
export type { PythonRequest, PythonRun } from './python/run-python.js';
export { SearchFeedback } from './search-feedback.js';
export { type ToolView, viewTools } from './tool-view.js';
