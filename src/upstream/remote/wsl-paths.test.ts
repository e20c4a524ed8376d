import { describe, expect, it } from 'vitest';
import type { Channel, ChannelListener, Incoming, Outgoing } from '../../rpc/index.js';
import { withPaths, wslPaths } from './wsl-paths.js';

const forms = wslPaths('Ubuntu');

describe('wslPaths', () => {
  it.each([
    { ours: '/mnt/c/Users/me/a b.ts', editors: 'C:\\Users\\me\\a b.ts' },
    { ours: '/mnt/d/', editors: 'D:\\' },
    { ours: '/home/me/a.ts', editors: '\\\\wsl.localhost\\Ubuntu\\home\\me\\a.ts' },
    { ours: 'relative/a.ts', editors: 'relative/a.ts' },
  ])('writes $ours as $editors and back', ({ ours, editors }) => {
    expect([forms.toEditor(ours), forms.fromEditor(editors)]).toEqual([editors, ours]);
  });

  it.each([
    { editors: '\\\\wsl$\\Ubuntu\\home\\me', ours: '/home/me' },
    { editors: '\\\\wsl.localhost\\ubuntu', ours: '/' },
    { editors: '\\\\wsl.localhost\\Debian\\home', ours: '\\\\wsl.localhost\\Debian\\home' },
    { editors: 'c:/Users', ours: '/mnt/c/Users' },
    { editors: 'untitled:Untitled-1', ours: 'untitled:Untitled-1' },
  ])('reads $editors as $ours', ({ editors, ours }) => {
    expect(forms.fromEditor(editors)).toBe(ours);
  });
});

describe('withPaths', () => {
  it('converts paths in tool arguments and results, and nothing else', () => {
    const sent: Outgoing[] = [];
    const received: Incoming[] = [];
    let inner: ChannelListener | undefined;
    const channel: Channel = {
      backlogBytes: 0,
      start: (listener) => {
        inner = listener;
      },
      send: (message) => sent.push(message),
      close: async () => undefined,
    };
    const wrapped = withPaths(channel, forms);
    const unused = { overlong: () => undefined, undelivered: () => undefined, onClose: () => undefined };
    wrapped.start({ ...unused, message: (message) => received.push(message) });
    const given = { old_file_path: '/mnt/c/a.ts', contents: '/mnt/c/a.ts', more: [{ filePath: '/home/b' }] };
    wrapped.send({ kind: 'request', id: 1, method: 'tools/call', params: { name: 'openDiff', arguments: given } });
    wrapped.send({ kind: 'request', id: 2, method: 'other', params: { filePath: '/mnt/c/a.ts' } });
    expect(sent.map((message) => 'params' in message && message.params)).toEqual([
      {
        name: 'openDiff',
        arguments: {
          old_file_path: 'C:\\a.ts',
          contents: '/mnt/c/a.ts',
          more: [{ filePath: '\\\\wsl.localhost\\Ubuntu\\home\\b' }],
        },
      },
      { filePath: '/mnt/c/a.ts' },
    ]);
    const text = JSON.stringify({ filePath: 'C:\\a.ts', text: 'C:\\a.ts' });
    const result = {
      content: [
        { type: 'text', text },
        { type: 'text', text: 'C:\\a.ts' },
      ],
    };
    inner?.message({ kind: 'result', id: 1, result, json: JSON.stringify(result) });
    expect(received).toEqual([
      {
        kind: 'result',
        id: 1,
        result: {
          content: [
            { type: 'text', text: JSON.stringify({ filePath: '/mnt/c/a.ts', text: 'C:\\a.ts' }) },
            { type: 'text', text: 'C:\\a.ts' },
          ],
        },
      },
    ]);
  });
});
