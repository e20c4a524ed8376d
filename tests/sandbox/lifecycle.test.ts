import { afterAll, expect, it } from 'vitest';
import { ErrorCode, silentLog } from '../../src/base/index.js';
import { DEFAULT_LIMITS, openSandbox } from '../../src/sandbox/index.js';
import { folder, open, tidy } from './installed-engines.js';
import { lifecycleSuite } from './lifecycle-suite.js';

afterAll(tidy);

it('rejects an unknown engine', async () => {
  await using sandbox = open('chroot');
  await expect(sandbox.engine()).rejects.toMatchObject({ code: ErrorCode.SettingsInvalid });
});

it('fails with a hint if the engine is not usable', async () => {
  await using sandbox = openSandbox({ engine: 'podman', image: 'portolan.invalid/none', folder, log: silentLog });
  const job = { code: '1', servers: [] };
  const signal = new AbortController().signal;
  await expect(sandbox.run(job, async () => 1, DEFAULT_LIMITS, signal)).rejects.toMatchObject({
    code: ErrorCode.SandboxUnavailable,
    hint: expect.any(String),
  });
});

// The other engines take longer: tests/guarantees/sandbox-engines.test.ts.
await lifecycleSuite(['bwrap']);
