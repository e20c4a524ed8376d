import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Credential } from './credential.js';
import { type CredentialStore, credentialStore } from './credential-store.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-credentials-'));
  path = join(folder, 'state', 'credentials.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function credential(said: Partial<Credential> = {}): Credential {
  return {
    resource: 'https://mcp.example.com/mcp',
    issuer: 'https://login.example.com',
    server: 'example',
    client: { client_id: 'c' },
    accessToken: 'a1',
    refreshToken: 'r1',
    obtainedAt: 1_000,
    ...said,
  };
}
const other = credential({ resource: 'https://other.example.com/mcp', accessToken: 'o1' });

function write(text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('credentialStore', () => {
  it('is empty without a file, and reading creates none', () => {
    const store = credentialStore(path);
    expect([store.list(), store.find('https://mcp.example.com/mcp')]).toEqual([[], undefined]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('returns saved credentials, also to another gateway that read before', async () => {
    const [one, two] = [credentialStore(path), credentialStore(path)];
    expect(two.list()).toEqual([]);
    await one.save(credential());
    await one.save(other);
    expect(two.list()).toEqual([other, credential()]);
    expect(two.find(other.resource)).toEqual(other);
  });

  it('keeps one credential per server, whatever its issuer', async () => {
    const store = credentialStore(path);
    await store.save(credential());
    await store.save(credential({ issuer: 'https://new.example.com', accessToken: 'a2' }));
    expect(store.list()).toEqual([credential({ issuer: 'https://new.example.com', accessToken: 'a2' })]);
  });

  it.each<{ title: string; meanwhile: (store: CredentialStore) => Promise<unknown> }>([
    { title: 'signed in again', meanwhile: (store) => store.save(credential({ accessToken: 'a9' })) },
    { title: 'signed out', meanwhile: (store) => store.remove(credential().resource) },
  ])('does not save a renewed credential if the user $title meanwhile', async ({ meanwhile }) => {
    const store = credentialStore(path);
    await store.save(credential());
    await meanwhile(credentialStore(path));
    const there = store.list();
    expect(await store.save(credential({ accessToken: 'a2' }), credential())).toBe(false);
    expect(store.list()).toEqual(there);
  });

  it('returns the removed credentials', async () => {
    const store = credentialStore(path);
    await store.save(credential());
    await store.save(other);
    expect(await store.remove(other.resource)).toEqual([other]);
    expect(await store.remove(other.resource)).toEqual([]);
    expect(store.list()).toEqual([credential()]);
  });

  it.skipIf(process.platform === 'win32')('removes access of other users to the file and its directory', async () => {
    write('{"credentials":[]}');
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    await credentialStore(path).save(credential());
    expect([path, dirname(path)].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  it.each(['', '{', 'null', '[]', '{"credentials":7}', '{"a":"token-in-the-file"'])(
    'neither reads nor replaces a file that holds %j',
    async (text) => {
      write(text);
      const store = credentialStore(path);
      const error = await store.save(credential()).catch((reason: unknown) => reason);
      expect(() => store.list()).toThrow('is not a valid credential file');
      expect(error).toMatchObject({ code: 'CONFIG_NOT_FOUND' });
      expect(String(error)).not.toContain('token-in-the-file');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('ignores unknown entries, and keeps them', async () => {
    const unreadable = [
      7,
      null,
      { resource: 'https://x/' },
      { ...credential(), client: {} },
      { ...credential(), obtainedAt: 'now' },
    ];
    write(JSON.stringify({ version: 9, credentials: [...unreadable, other] }));
    const store = credentialStore(path);
    expect(store.list()).toEqual([other]);
    await store.save(credential());
    expect(JSON.parse(readFileSync(path, 'utf8')).credentials).toEqual([credential(), other, ...unreadable]);
  });

  it('loses none of forty credentials that four stores save concurrently', async () => {
    const stores = Array.from({ length: 4 }, () => credentialStore(path));
    const all = Array.from({ length: 40 }, (_, n) => credential({ resource: `https://s${n}.example.com/` }));
    await Promise.all(all.map((one, n) => stores[n % 4]?.save(one)));
    const names = credentialStore(path)
      .list()
      .map(({ resource }) => resource);
    expect(names.toSorted()).toEqual(all.map(({ resource }) => resource).toSorted());
    expect(readdirSync(dirname(path))).toEqual(['credentials.json']);
  });

  it('runs one action at a time per server, and others for other servers', async () => {
    const [one, two] = [credentialStore(path), credentialStore(path)];
    const events: string[] = [];
    const act = (name: string, ms: number) => async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      events.push(`${name} ends`);
    };
    const first = one.alone('https://a/', act('first', 300));
    await expect.poll(() => events).toEqual(['first begins']);
    await Promise.all([two.alone('https://b/', act('other', 1)), two.alone('https://a/', act('second', 1)), first]);
    expect(events).toEqual([
      'first begins',
      'other begins',
      'other ends',
      'first ends',
      'second begins',
      'second ends',
    ]);
  });

  it('continues after a failed action', async () => {
    const store = credentialStore(path);
    const failed = store.alone('https://a/', () => Promise.reject(new Error('no')));
    const next = store.alone('https://a/', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
