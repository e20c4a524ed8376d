import { describe, expect, it } from 'vitest';
import { bwrapArguments } from './bwrap.js';
import { containerArguments } from './container.js';
import { denoArguments } from './pyodide-deno.js';
import { nodeArguments } from './pyodide-node.js';

/** The arguments, with embedded programs shortened. */
const brief = (args: readonly string[]) =>
  args.map((one) => (one.length > 200 || one.includes('\n') ? `${one.slice(0, 20).split('\n')[0]}…` : one)).join(' ');

const LIMITS = { memoryBytes: 100_000_000, folderBytes: 5_000_000 };

describe('the command line', () => {
  it('of bubblewrap removes all access and grants only what is needed', () => {
    const libraries = [
      { kind: 'link', path: '/bin', target: 'usr/bin' },
      { kind: 'folder', path: '/lib64' },
    ] as const;
    expect(brief(bwrapArguments('/usr/bin/python3', libraries))).toBe(
      '--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --cap-drop ALL' +
        ' --cap-add CAP_SYS_ADMIN --clearenv --uid 65534 --gid 65534 --hostname sandbox --ro-bind /usr /usr' +
        ' --symlink usr/bin /bin --ro-bind /lib64 /lib64 --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache' +
        ' --ro-bind-try /etc/alternatives /etc/alternatives --dev /dev --tmpfs /dev/pts --dir /tmp --dir /work' +
        ' --remount-ro /dev/pts --remount-ro /dev --remount-ro / --chdir /work --setenv PATH /usr/bin' +
        ' --setenv HOME /work --setenv LANG C.UTF-8 --setenv TZ UTC --setenv PYTHONUTF8 1 --setenv MALLOC_ARENA_MAX 1' +
        ' --setenv OPENBLAS_NUM_THREADS 1 -- /usr/bin/python3 -I -B -c import os…',
    );
  });

  it.each([
    { name: 'podman', last: ' --http-proxy=false' },
    { name: 'docker', last: '' },
  ] as const)('of $name has no network, no rights and all limits', ({ name, last }) => {
    expect(brief(containerArguments(name, 'python:3', 'box', LIMITS))).toBe(
      'run --interactive --rm --name box --pull never --network none --read-only --cap-drop ALL' +
        ' --security-opt no-new-privileges --user 65534:65534 --ipc private --hostname sandbox' +
        ' --memory 188886080 --memory-swap 188886080 --pids-limit 64 --cpus 1 --ulimit core=0:0 --ulimit nofile=128:128' +
        ' --log-driver none --ulimit nproc=1024:1024 --tmpfs /work:rw,nosuid,nodev,noexec,mode=1777,size=5000000' +
        ' --tmpfs /tmp:rw,nosuid,nodev,noexec,mode=1777,size=16777216 --workdir /work --env HOME=/work' +
        ` --env LANG=C.UTF-8 --env TZ=UTC --env MALLOC_ARENA_MAX=1 --env PYTHONUTF8=1${last}` +
        ' --entrypoint python3 python:3 -I -B -c import _signal, os…',
    );
  });

  const plan = { folder: '/p', snapshot: '/s/x.snapshot', memoryBytes: 1, fileBytes: 2 };
  const told = '{"folder":"/p","snapshot":"/s/x.snapshot","memoryBytes":1,"fileBytes":2}';

  it('of Node allows reading Pyodide and the snapshot, and no code from strings', () => {
    expect(brief(nodeArguments(plan)).replace('--experimental-permission', '--permission')).toBe(
      '--permission --allow-fs-read=/p --allow-fs-read=/s/x.snapshot --disallow-code-generation-from-strings' +
        ' --no-warnings --no-addons --no-global-search-paths --max-old-space-size=256 --input-type=module' +
        ` -e // Starts Pyodide in… -- ${told}`,
    );
  });

  it('of Deno allows reading Pyodide and the snapshot, and nothing else', () => {
    expect(brief(denoArguments(plan))).toBe(
      'run --no-prompt --no-config --no-lock --no-remote --no-npm --quiet' +
        ' --v8-flags=--max-old-space-size=256,--disallow-code-generation-from-strings' +
        ` --allow-read=/p,/s/x.snapshot data:application/jav… ${told}`,
    );
  });
});
