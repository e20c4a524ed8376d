export type { PythonAnswer, PythonError } from '../gateway/index.js';
export { type DaemonPlace, daemonPlace } from './daemon-location.js';
export { killDaemon, recordedDaemon } from './daemon-process.js';
export {
  listensAt,
  openGateway,
  runDaemon,
  serveClient,
  serveClientsOverHttp,
  startGateway,
} from './lazy-imports.js';
export type { ExecuteAnswer, ExecuteOptions, OpenGateway, PythonOptions, PythonOutcome } from './library.js';
export type { DaemonOptions } from './run-daemon.js';
export type { ServeHttpOptions } from './run-http.js';
export type { ServeOptions } from './run-stdio.js';
export type { GatewayOptions, RunningGateway } from './start-gateway.js';
