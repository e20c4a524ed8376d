import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../base/index.js';
import { DEFAULT_LIMITS } from '../engine.js';
import { containerEngine } from './container.js';
import { findTrustedProgram, programIn } from './find-program.js';

const NAME = 'portolan-no-such-engine';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-programs-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function program(...names: readonly string[]): string {
  const path = join(folder, ...names);
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o755 });
  writeFileSync(path, '#!/bin/sh\nexit 1\n');
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(process.platform === 'win32')('findTrustedProgram', () => {
  it('ignores PATH, which comes from the client that started the daemon', () => {
    program('bin', NAME);
    vi.stubEnv('PATH', join(folder, 'bin'));
    expect(findTrustedProgram(NAME)).toBeUndefined();
    expect(findTrustedProgram(NAME, [join(folder, 'bin')])).toBe(join(folder, 'bin', NAME));
  });

  it('finds a program of the system', () => {
    vi.stubEnv('PATH', '');
    expect(findTrustedProgram('env')).toBe('/usr/bin/env');
  });
});

describe.skipIf(process.platform === 'win32')('programIn', () => {
  const found = () => programIn([join(folder, 'up', 'bin')], NAME);

  it.each<{ title: string; change: () => void; is: 'found' | 'passed by' }>([
    { title: 'its own', change: () => undefined, is: 'found' },
    { title: 'a file that is not executable', change: () => mode(0o644, 'up', 'bin', NAME), is: 'passed by' },
    { title: 'a file that everybody can write', change: () => mode(0o757, 'up', 'bin', NAME), is: 'passed by' },
    {
      title: 'a file in a directory that everybody can write',
      change: () => mode(0o777, 'up', 'bin'),
      is: 'passed by',
    },
    { title: 'a file in a directory like /tmp', change: () => mode(0o1777, 'up', 'bin'), is: 'passed by' },
    { title: 'a file in a directory that everybody can replace', change: () => mode(0o777, 'up'), is: 'passed by' },
    {
      title: 'a file in a private subdirectory of a directory like /tmp',
      change: () => mode(0o1777, 'up'),
      is: 'found',
    },
    {
      title: 'a directory of that name',
      change: () => {
        rmSync(join(folder, 'up', 'bin', NAME));
        mkdirSync(join(folder, 'up', 'bin', NAME));
      },
      is: 'passed by',
    },
    {
      title: 'a link to a trusted file',
      change: () => link(program('elsewhere', 'real')),
      is: 'found',
    },
    {
      title: 'a link into a directory that everybody can write',
      change: () => {
        link(program('elsewhere', 'real'));
        mode(0o777, 'elsewhere');
      },
      is: 'passed by',
    },
    { title: 'a broken link', change: () => link(join(folder, 'nothing')), is: 'passed by' },
  ])('accepts only programs that other users cannot replace: $title is $is', ({ change, is }) => {
    program('up', 'bin', NAME);
    change();
    expect(found()).toBe(is === 'found' ? join(folder, 'up', 'bin', NAME) : undefined);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'ignores programs that belong to another user or that another group can change',
    async () => {
      const { chownSync } = await import('node:fs');
      const path = program('up', 'bin', NAME);
      chownSync(path, 12_345, 0);
      expect(found()).toBeUndefined();
      chownSync(path, 0, 12_345);
      expect(found()).toBe(path);
      mode(0o775, 'up', 'bin', NAME);
      expect(found()).toBeUndefined();
      chownSync(path, 0, 0);
      expect(found()).toBe(path);
    },
  );

  function mode(bits: number, ...names: readonly string[]): void {
    chmodSync(join(folder, ...names), bits);
  }

  function link(target: string): void {
    rmSync(join(folder, 'up', 'bin', NAME));
    symlinkSync(target, join(folder, 'up', 'bin', NAME));
  }
});

describe.skipIf(process.platform === 'win32' || findTrustedProgram('podman') !== undefined)(
  'a container engine',
  () => {
    it('that is not installed is not started through PATH', async () => {
      program('bin', 'podman');
      vi.stubEnv('PATH', join(folder, 'bin'));
      const engine = containerEngine('podman', 'python', silentLog);
      await expect(engine.start(DEFAULT_LIMITS)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
      expect(await engine.probe()).toMatchObject({ ok: false, hint: expect.stringContaining('/usr/bin') });
    });
  },
);
