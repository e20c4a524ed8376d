import { describe, expect, it } from 'vitest';
import { syncData } from './writable-disk.js';

/** A file on a system that lacks some calls; records the calls made. */
function file(error?: string) {
  const calls: string[] = [];
  return {
    calls,
    async datasync() {
      calls.push('fdatasync');
      if (error !== undefined) throw Object.assign(new Error(error), { code: error });
    },
    async sync() {
      calls.push('fsync');
    },
  };
}

describe('syncData', () => {
  it.each([
    { title: 'fdatasync', error: undefined, calls: ['fdatasync'] },
    { title: 'fsync if the system has no fdatasync', error: 'ENOSYS', calls: ['fdatasync', 'fsync'] },
    { title: 'fsync if the disk has no fdatasync', error: 'EINVAL', calls: ['fdatasync', 'fsync'] },
  ])('uses $title', async ({ error, calls }) => {
    const written = file(error);
    await syncData(written);
    expect(written.calls).toEqual(calls);
  });

  it('fails when the disk fails', async () => {
    const written = file('EIO');
    await expect(syncData(written)).rejects.toThrow('EIO');
    expect(written.calls).toEqual(['fdatasync']);
  });
});
