import { Connection } from '../../src/upstream/connection/connection.js';

/** A connection without messages. */
export function idleConnection(): Connection {
  return new Connection(
    { backlogBytes: 0, start: () => undefined, send: () => undefined, close: async () => undefined },
    {
      onNotification: () => undefined,
      onClose: () => undefined,
      onInvalidMessage: () => undefined,
      stderrTail: () => '',
      redact: (text) => text,
    },
  );
}
