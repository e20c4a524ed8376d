import { describe, expect, it } from 'vitest';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { type Serve, serveCommand } from './serve.js';

/** Runs the command with a fake gateway, and returns its calls, output and exit code. */
async function run(
  args: readonly string[],
  env: Serve['environment'] = {},
  http: Serve['http'] = async () => undefined,
) {
  const asked: unknown[] = [];
  const printed: string[] = [];
  const command = serveCommand({
    stdio: async (options) => void asked.push(['stdio', options]),
    http: async ({ listening, ...options }) => {
      asked.push(['http', options]);
      listening('http://there/mcp');
      await http({ listening, ...options });
    },
    socket: async ({ listening }) => listening(['/run/s.sock', 'http://there/mcp']),
    environment: env,
  });
  const io = {
    out: (line: string) => printed.push(`out: ${line}`),
    err: (line: string) => printed.push(line),
    colour: false,
    home: '/h',
  };
  const code = await command.run(args, io);
  return { asked, printed, code };
}

describe('serve', () => {
  it.each([
    { args: [], asked: ['stdio', {}] },
    { args: ['--expose', 'all'], asked: ['stdio', { expose: 'all' }] },
    { args: ['--http'], asked: ['http', { address: '' }] },
    { args: ['--http', '--expose', 'all'], asked: ['http', { address: '', expose: 'all' }] },
    { args: ['--http=localhost:1'], asked: ['http', { address: 'localhost:1' }] },
    { args: ['--http', 'localhost:1'], asked: ['http', { address: 'localhost:1' }] },
    { args: ['--http', ':1', '--token', 'x'], asked: ['http', { address: ':1', token: 'x' }] },
    { args: ['--expose', 'all', '--http'], asked: ['http', { address: '', expose: 'all' }] },
  ])('parses $args', async ({ args, asked }) => {
    expect(await run(args)).toMatchObject({ asked: [asked], code: 0 });
  });

  it('reads the token from the environment, unless a flag sets it', async () => {
    const env = { PORTOLAN_TOKEN: 'from-env' };
    expect((await run(['--http'], env)).asked).toEqual([['http', { address: '', token: 'from-env' }]]);
    expect((await run(['--http', '--token=x'], env)).asked).toEqual([['http', { address: '', token: 'x' }]]);
    expect((await run([], env)).asked).toEqual([['stdio', {}]]);
  });

  it('prints its URL on stderr, and nothing on stdout', async () => {
    expect((await run(['--http'])).printed).toEqual(['portolan listens on http://there/mcp']);
  });

  it('prints its URL as a log entry with time and pid if it was not started by hand', async () => {
    const [line = '', ...others] = (await run(['--socket', '/run/s.sock', '--leave-when-idle'])).printed;
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      level: 'info',
      message: 'portolan listens on /run/s.sock and http://there/mcp',
      pid: process.pid,
    });
    const byHand = await run(['--socket', '/run/s.sock']);
    expect(byHand.printed).toEqual(['portolan listens on /run/s.sock and http://there/mcp']);
  });

  it.each([
    { args: ['--token', 'x'], message: 'portolan serve takes --token only with --http: it protects the HTTP port' },
    { args: ['localhost:1'], message: 'portolan serve does not take the argument "localhost:1"' },
  ])('rejects $args', async ({ args, message }) => {
    await expect(run(args)).rejects.toMatchObject({ code: 'USAGE', message });
  });

  it('exits with 1 if the port is not available', async () => {
    const fails = async () => {
      throw new PortolanError(ErrorCode.ConnectionError, 'cannot listen', { hint: 'try another' });
    };
    const { code, printed } = await run(['--http'], {}, fails);
    expect([code, printed.at(-1)]).toEqual([1, 'CONNECTION_ERROR: cannot listen\n  try another']);
  });
});
