import { describe, expect, it } from 'vitest';
import { runProgram } from '../../tests/fixtures/run-program.js';

describe('openSdkChannel', () => {
  it('keeps the program alive until a call to a silent server times out', () => {
    const { out, code } = runProgram(`
      import { Connection } from './src/upstream/connection/connection.ts';
      import { openSdkChannel } from './src/upstream/sdk-channel.ts';
      const silent = { async connect(transport) { transport.onmessage = () => undefined; await transport.start(); } };
      const channel = await openSdkChannel(() => silent, () => ({ maxLineBytes: 1e6, maxDepth: 64 }));
      const events = { onNotification() {}, onClose() {}, onInvalidMessage() {}, stderrTail: () => '', redact: (text) => text };
      const options = { timeoutMs: 500, totalMs: 500, conversation: { client: 'me' } };
      await new Connection(channel, events).callTool('t', {}, options).catch(({ code }) => console.log(code));
    `);
    expect({ out, code }).toEqual({ out: 'TOOL_EXECUTION_TIMEOUT\n', code: 0 });
  });
});
