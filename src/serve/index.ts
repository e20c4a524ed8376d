export type { Face, Notice } from './face.js';
export { faceOf } from './faces.js';
export { type HttpOptions, type HttpServing, httpAddress, serveHttp } from './http/serve-http.js';
export { Questions } from './questions.js';
export type { Session, SessionOptions } from './session.js';
export { serveStdio } from './stdio.js';
