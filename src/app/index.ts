export type { PythonAnswer, PythonError } from '../gateway/index.js';
export type { CommandGateway } from './command-requests.js';
export { type DaemonLocation, daemonLocation } from './daemon-location.js';
export { killDaemon, recordedDaemon } from './daemon-process.js';
export {
  listensAt,
  openForCommand,
  openGateway,
  runDaemon,
  serveClient,
  serveClientsOverHttp,
} from './lazy-imports.js';
export type { ExecuteAnswer, ExecuteOptions, OpenGateway, PythonOptions, PythonOutcome } from './library.js';
export type { CommandOptions } from './open-for-command.js';
export type { DaemonOptions } from './run-daemon.js';
export type { ServeHttpOptions } from './run-http.js';
export type { ServeOptions } from './run-stdio.js';
export type { GatewayOptions } from './start-gateway.js';
