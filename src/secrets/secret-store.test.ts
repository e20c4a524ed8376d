import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../tests/support/machine.js';
import { diskFiles } from '../base/index.js';
import { readSecretRecords, type SecretRecord } from './secret-records.js';
import { type KeyStore, readSecret, storeSecret } from './secret-store.js';

const SECRET = { server: 'hub', source: '/h/mcp.json', name: 'TOKEN' };
const VALUE = 'v3ry-s3cr3t';

function filesIn(machine: Disposable & { path(template: string): string }) {
  return { records: machine.path('~/secrets.json'), key: machine.path('~/config/secrets.key') };
}

/** A key store in memory, which works or fails like that of a system. */
function keyStore(how: 'works' | 'denies access' | 'forgets'): KeyStore {
  const values = new Map<string, string>();
  return {
    set: async (id, value) => {
      if (how === 'denies access') throw new Error('AccessDenied');
      if (how === 'works') values.set(id, value);
    },
    get: async (id) => values.get(id),
  };
}

describe('a stored value', () => {
  it('is in the key store only, if that keeps it', async () => {
    using machine = makeMachine();
    const files = filesIn(machine);
    const store = keyStore('works');
    const record = await storeSecret(SECRET, VALUE, files, store);
    expect(record).toMatchObject({ ...SECRET, store: 'key store' });
    expect(readFileSync(files.records, 'utf8')).not.toContain('sealed');
    expect(diskFiles.exists(files.key)).toBe(false);
    expect(await readSecret(record, files, async () => store)).toBe(VALUE);
    expect(await readSecret(record, files, async () => undefined)).toBe(undefined);
    // The same entry and name keep their id, so that the reference in the entry stays valid.
    expect((await storeSecret(SECRET, 'newer', files, store)).id).toBe(record.id);
    expect(readSecretRecords(files.records, diskFiles)).toHaveLength(1);
  });

  it.each(['denies access', 'forgets'] as const)('is encrypted in a private file, if the key store %s', async (how) => {
    using machine = makeMachine();
    const files = filesIn(machine);
    const store = keyStore(how);
    const record = await storeSecret(SECRET, VALUE, files, store);
    expect(record.store).toBe('encrypted file');
    for (const path of [files.records, files.key]) {
      expect(readFileSync(path, 'utf8')).not.toContain(VALUE);
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
    }
    expect(await readSecret(record, files, async () => store)).toBe(VALUE);
  });

  it('cannot be read under the id of another one, with another key, or after a change', async () => {
    using machine = makeMachine();
    const files = filesIn(machine);
    const [one, other] = [
      await storeSecret(SECRET, VALUE, files, undefined),
      await storeSecret({ ...SECRET, server: 'thief' }, 'mine', files, undefined),
    ];
    const read = (record: SecretRecord) => readSecret(record, files, async () => undefined);
    expect(await read(one)).toBe(VALUE);
    const { sealed = '' } = one;
    expect(await read({ ...other, sealed })).toBe(undefined);
    expect(await read({ ...one, sealed: `${sealed.slice(0, -8)}AAAAAAA=` })).toBe(undefined);
    expect(await read({ ...one, sealed: '' })).toBe(undefined);
    writeFileSync(files.key, 'f'.repeat(64));
    expect(await read(one)).toBe(undefined);
  });

  it('is not stored if the file of the key holds something else', async () => {
    using machine = makeMachine();
    const files = filesIn(machine);
    machine.write({ '~/config/secrets.key': 'not a key' });
    await expect(storeSecret(SECRET, VALUE, files, undefined)).rejects.toMatchObject({
      code: 'WRITE_REFUSED',
      hint: expect.stringContaining('portolan set <server> <name>'),
    });
    expect(diskFiles.exists(files.records)).toBe(false);
  });
});
