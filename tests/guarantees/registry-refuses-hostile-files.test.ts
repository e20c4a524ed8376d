import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityOf } from '../../src/base/index.js';
import { entryName } from '../../src/registry/entry-file-names.js';
import { readForeignRegistry, ServerRegistry } from '../../src/registry/index.js';

const GIGABYTE = 1024 ** 3;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const MINE = 'mine_1';

/** A project, and a file and directory outside of it that must not change. */
class Project implements Disposable {
  readonly top = mkdtempSync(join(tmpdir(), 'portolan-r8-'));
  readonly folder = join(this.top, 'project', '.portolan');
  readonly view = join(this.folder, 'mcp_servers.json');
  readonly outsideFile = join(this.top, 'outsideFile');
  readonly outsideFolder = join(this.top, 'outsideFolder');

  constructor() {
    mkdirSync(join(this.folder, '..'), { recursive: true });
    writeFileSync(this.outsideFile, '{"version":"1.0","servers":{}}');
    mkdirSync(this.outsideFolder);
    writeFileSync(join(this.outsideFolder, 'file'), 'file');
  }

  /** The future path of our own server's entry. */
  get entry(): string {
    const identity = identityOf(process.pid) ?? expect.unreachable('this process has no identity');
    return join(this.folder, 'servers.d', entryName(MINE, identity, identity));
  }

  outside(): unknown {
    return [readFileSync(this.outsideFile, 'utf8'), readdirSync(this.outsideFolder), statSync(this.outsideFolder).mode];
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

const THINGS: readonly { thing: string; put: (path: string, project: Project) => void; needsRoot?: true }[] = [
  { thing: 'a link to a file', put: (path, { outsideFile }) => symlinkSync(outsideFile, path) },
  { thing: 'a link to a folder', put: (path, { outsideFolder }) => symlinkSync(outsideFolder, path) },
  { thing: 'a link to nothing', put: (path, { top }) => symlinkSync(join(top, 'made'), path) },
  { thing: 'a FIFO', put: (path) => void execFileSync('mkfifo', [path]) },
  {
    thing: 'a file of 1 GB',
    put: (path) => {
      writeFileSync(path, '{"version":"1.0","servers":{}}');
      truncateSync(path, GIGABYTE);
    },
  },
  {
    thing: "another user's file",
    put: (path) => {
      writeFileSync(path, '{"version":"1.0","servers":{}}');
      chownSync(path, NOBODY, NOBODY);
    },
    needsRoot: true,
  },
  {
    thing: "another user's folder",
    put: (path) => {
      mkdirSync(path);
      chownSync(path, NOBODY, NOBODY);
    },
    needsRoot: true,
  },
];
const FOLDER = { thing: 'a folder', put: (path: string) => void mkdirSync(path) };
const OTHER = {
  thing: 'a file with other content',
  put: (path: string) => writeFileSync(path, '{"name":"package"}'),
};

const PLACES: readonly { place: string; at: (project: Project) => string; things: typeof THINGS }[] = [
  { place: 'the view', at: ({ view }) => view, things: [...THINGS, FOLDER, OTHER] },
  { place: 'our own entry', at: ({ entry }) => entry, things: [...THINGS, FOLDER] },
  { place: 'the folder of entries', at: ({ folder }) => join(folder, 'servers.d'), things: THINGS },
  { place: 'the parent folder', at: ({ folder }) => folder, things: THINGS },
];
const cases = PLACES.flatMap(({ things, ...where }) =>
  things.filter(({ needsRoot }) => !needsRoot || isRoot).map((what) => ({ ...where, ...what })),
);

/** The attributes that a write would change. */
function seen(path: string): unknown {
  const { ino, mode, size, uid, mtimeMs } = lstatSync(path);
  return { ino, mode, size, uid, mtimeMs };
}

describe.skipIf(process.platform === 'win32')('an unexpected file in place of the registry', { tags: 'R8' }, () => {
  it.each(cases)('refuses $thing in place of $place, and neither follows nor overwrites it', async ({ at, put }) => {
    using project = new Project();
    const path = at(project);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    put(path, project);
    const before = [seen(path), project.outside()];
    const warnings: string[] = [];
    const registry = new ServerRegistry(project.view, { warn: (message) => void warnings.push(message) });
    await registry.registerServer(MINE, {});
    expect(warnings).toEqual([expect.stringContaining(path)]);
    await registry.listServers();
    await registry.unregisterServer(MINE);
    await registry.listServers();
    expect([seen(path), project.outside()]).toEqual(before);
    expect(readdirSync(project.top).toSorted()).toEqual(['outsideFile', 'outsideFolder', 'project']);
  });

  it.each([...THINGS.filter(({ needsRoot }) => !needsRoot || isRoot), FOLDER, OTHER])(
    'lists the other servers and does not touch $thing with the name of an entry',
    async ({ put }) => {
      using project = new Project();
      const warnings: string[] = [];
      await using registry = new ServerRegistry(project.view, { warn: (message) => void warnings.push(message) });
      await registry.registerServer('good_1', {});
      const path = join(project.folder, 'servers.d', 'bad_1.0123456789abcdef.json');
      put(path, project);
      const before = [seen(path), project.outside()];
      expect((await registry.listServers()).map(({ id }) => id)).toEqual(['good_1']);
      await registry.registerServer('good_2', {});
      expect((await registry.listServers()).map(({ id }) => id)).toEqual(['good_1', 'good_2']);
      expect(Object.keys(JSON.parse(readFileSync(project.view, 'utf8')).servers)).toEqual(['good_1', 'good_2']);
      expect([[seen(path), project.outside()], warnings]).toEqual([before, [expect.stringContaining(path)]]);
    },
  );

  it.each([...THINGS.filter(({ needsRoot }) => !needsRoot || isRoot), FOLDER])(
    "refuses $thing in place of another program's registry",
    async ({ put }) => {
      using project = new Project();
      const path = join(project.top, 'foreign.json');
      put(path, project);
      expect(await readForeignRegistry(path)).toEqual({ kind: 'failed', message: expect.stringContaining(path) });
    },
  );

  it('refuses a directory that others can write to, and restricts the mode of the directory of entries', async () => {
    using project = new Project();
    mkdirSync(project.folder);
    chmodSync(project.folder, 0o777);
    const warnings: string[] = [];
    await using registry = new ServerRegistry(project.view, { warn: (message) => void warnings.push(message) });
    await registry.registerServer(MINE, {});
    expect([warnings, readdirSync(project.folder)]).toEqual([[expect.stringContaining('for everybody')], []]);
    chmodSync(project.folder, 0o755);
    mkdirSync(join(project.folder, 'servers.d'));
    chmodSync(join(project.folder, 'servers.d'), 0o777);
    await registry.registerServer(MINE, {});
    const modes = [join(project.folder, 'servers.d'), project.entry, project.view].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });
});
