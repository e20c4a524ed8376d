import { describe, expect, it } from 'vitest';
import type { Discovery } from '../../discovery/index.js';
import type { SignedIn } from '../../use-cases/index.js';
import type { Io } from '../runtime/command.js';
import { statusCommand } from './status.js';

const NOW = Date.UTC(2026, 0, 1);
const one: SignedIn = { server: 'b', resource: 'https://b/', issuer: 'https://login.b', renews: true, who: 'ada' };
const two: SignedIn = {
  server: 'a',
  resource: 'https://a/',
  issuer: 'https://login.a',
  renews: false,
  expiresAt: NOW - 1,
};
const three: SignedIn = { ...two, server: 'c\u001b[2J', expiresAt: NOW + 1_000 };

/** A scan that found so many servers. */
const scan = (count: number) => async () => ({ servers: Array.from({ length: count }) }) as unknown as Discovery;

async function status(all: readonly SignedIn[], words: readonly string[] = [], servers = 1) {
  const lines: string[] = [];
  const io: Io = { out: (line) => lines.push(line), err: () => undefined, colour: false, home: '/h' };
  const paths: string[] = [];
  const read = async (path: string) => {
    paths.push(path);
    return all;
  };
  const code = await statusCommand({ home: '/h', env: {} }, read, () => NOW, scan(servers)).run(words, io);
  return { code, lines, paths };
}

describe('portolan status', () => {
  it('prints how to sign in if no server has a sign-in', async () => {
    expect(await status([])).toMatchObject({ code: 0, lines: [expect.stringContaining('portolan login <server>')] });
    expect((await status([], [], 0)).lines[0]).toContain('no servers configured');
  });

  it('lists the account, issuer and expiry of each sign-in', async () => {
    expect((await status([one, two, three])).lines).toEqual([
      'server    who  signed in by     until',
      'a         –    https://login.a  expired: sign in again',
      'b         ada  https://login.b  renewed automatically',
      'c\\x1b[2J  –    https://login.a  2026-01-01T00:00:01.000Z',
    ]);
  });

  it('prints JSON with --json', async () => {
    expect(JSON.parse((await status([one], ['--json'])).lines.join('\n'))).toEqual({ signedIn: [one] });
  });
});
