export { type Arrival, type ConnectedClient, ConnectionManager } from './connection-manager.js';
export type { Face, Notice } from './face.js';
export { faceOf } from './faces.js';
export type { PlainRoute, PlainRoutes } from './http/plain-routes.js';
export { type HttpOptions, type HttpServing, httpAddress, serveHttp } from './http/serve-http.js';
export { Questions } from './questions.js';
export type { Session, SessionOptions } from './session.js';
export { type ClientContext, type Entrance, type SocketServing, serveSocket } from './socket/serve-socket.js';
export { serveStdio } from './stdio.js';
