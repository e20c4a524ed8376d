import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../../tests/support/machine.js';
import { scanMachine } from '../../discovery/index.js';
import type { signIn, signOut } from '../../use-cases/index.js';
import type { Command, Io } from '../runtime/command.js';
import { loginCommand } from './login.js';
import { logoutCommand } from './logout.js';

const SERVERS = { remote: { url: 'https://mcp.example.com/mcp' }, local: { command: 'npx' } };
const SIGNED_IN = { server: 'remote', resource: 'https://mcp.example.com/mcp', issuer: 'https://a', renews: true };

function terminal(): Io & { readonly lines: string[]; readonly errors: string[] } {
  const lines: string[] = [];
  const errors: string[] = [];
  return {
    lines,
    errors,
    colour: false,
    home: '/h',
    out: (line) => lines.push(line),
    err: (line) => errors.push(line),
  };
}

/** Runs a command on a machine with a remote and a local server. */
async function run(make: (discover: typeof scanMachine) => Command, words: readonly string[]) {
  using machine = makeMachine();
  machine.write({ '~/.cursor/mcp.json': JSON.stringify({ mcpServers: SERVERS }) });
  const io = terminal();
  const command = make((options) => scanMachine(machine.options(options)));
  const code = await command.run(words, io).catch((error: unknown) => error);
  return { code, lines: io.lines, errors: io.errors };
}

/** A sign-in that shows a page and then succeeds. */
function entering(who?: string): { enter: typeof signIn; asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    enter: async (_, name, { print, openBrowser }) => {
      const opened = openBrowser ? await openBrowser(new URL('https://a/')) : true;
      asked.push({ name, opened });
      print('https://a/authorize?x', opened);
      return { ...SIGNED_IN, ...(who !== undefined && { who }) };
    },
  };
}

describe('portolan login', () => {
  it('signs in to the server and prints the account', async () => {
    const { enter, asked } = entering('ada\u001b[31m');
    expect(await run((discover) => loginCommand(discover, enter), ['REMOTE'])).toEqual({
      code: 0,
      lines: ['Signed in to remote as ada\\x1b[31m, by https://a.'],
      errors: ['Your browser shows the sign-in page. If it does not, open:', '  https://a/authorize?x'],
    });
    expect(asked).toEqual([{ name: 'remote', opened: true }]);
  });

  it('opens no browser with --no-browser, and prints the next step', async () => {
    const { enter, asked } = entering();
    const { code, errors } = await run((discover) => loginCommand(discover, enter), ['remote', '--no-browser']);
    expect([code, asked, errors]).toEqual([
      0,
      [{ name: 'remote', opened: false }],
      [
        'Open this page in a browser:',
        '  https://a/authorize?x',
        expect.stringContaining('another machine'),
        expect.stringContaining('curl'),
      ],
    ]);
  });

  it('prints only JSON on stdout with --json', async () => {
    const { lines } = await run((discover) => loginCommand(discover, entering('ada').enter), ['remote', '--json']);
    expect(JSON.parse(lines.join('\n'))).toEqual({ ...SIGNED_IN, who: 'ada' });
  });

  it.each([
    { words: [], code: { code: 'USAGE', message: 'portolan login needs a server' } },
    { words: ['a', 'b'], code: { code: 'USAGE' } },
    { words: ['remot'], code: { code: 'SERVER_NOT_FOUND', hint: expect.stringMatching(/^did you mean remote\?/) } },
  ])('rejects $words', async ({ words, code }) => {
    const { enter, asked } = entering();
    expect(await run((discover) => loginCommand(discover, enter), words)).toMatchObject({ code });
    expect(asked).toEqual([]);
  });
});

describe('portolan logout', () => {
  const leaving =
    (outcome: Awaited<ReturnType<typeof signOut>>): typeof signOut =>
    async () =>
      outcome;

  it.each<{ outcome: Awaited<ReturnType<typeof signOut>>; lines: string[] }>([
    { outcome: { kind: 'not-signed-in' }, lines: ['You are not signed in to remote.'] },
    { outcome: { kind: 'signed-out', revoked: true }, lines: ['Signed out of remote.'] },
    {
      outcome: { kind: 'signed-out', revoked: false },
      lines: ['Signed out of remote.', expect.stringContaining('not revoked')],
    },
  ])('reports the outcome $outcome', async ({ outcome, lines }) => {
    const result = await run((discover) => logoutCommand(discover, leaving(outcome)), ['remote']);
    expect(result).toEqual({ code: 0, lines, errors: [] });
  });

  it('signs out of a server that is no longer configured', async () => {
    const gone = leaving({ kind: 'signed-out', revoked: true });
    expect(await run((discover) => logoutCommand(discover, gone), ['gone'])).toMatchObject({ code: 0 });
    const never = leaving({ kind: 'not-signed-in' });
    expect(await run((discover) => logoutCommand(discover, never), ['gone'])).toMatchObject({
      code: { code: 'SERVER_NOT_FOUND' },
    });
  });

  it('prints JSON with --json', async () => {
    const { lines } = await run(
      (discover) => logoutCommand(discover, leaving({ kind: 'not-signed-in' })),
      ['remote', '--json'],
    );
    expect(JSON.parse(lines.join('\n'))).toEqual({ server: 'remote', kind: 'not-signed-in' });
  });
});
