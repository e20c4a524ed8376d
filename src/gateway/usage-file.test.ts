import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.js';
import { createToolIndex, type ToolIndex } from '../search/index.js';
import { forgetUses, MAX_PROJECTS, type UsesFolder, usesFolder } from './usage-file.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-uses-'));
  folders.push(folder);
  return folder;
};
const filesIn = (state: string) => readdirSync(join(state, 'uses')).map((name) => join(state, 'uses', name));
const learnedIn = (index: ToolIndex) =>
  index
    .memory()
    .map(({ query }) => query.toLowerCase())
    .toSorted();

/** An index that has joined the uses of a project, as the gateway of one workspace has. */
function joined(uses: UsesFolder, project = '/project') {
  const index = createToolIndex();
  const own = uses.join(index, project);
  own.refresh(true);
  const learn = (query: string) => {
    index.remember({ server: 's', tool: 't' }, query);
    own.changed();
  };
  return { index, learn, ...own };
}

describe('usesFolder', () => {
  it('merges what several processes learned in a project, and loads it at the next start', async () => {
    const state = newFolder();
    const [a, b] = [joined(usesFolder(state, silentLog)), joined(usesFolder(state, silentLog))];
    a.learn('both need this');
    a.learn('what a needs');
    b.learn('Both need this');
    await a.leave();
    await b.leave();
    expect(learnedIn(joined(usesFolder(state, silentLog)).index)).toEqual(['both need this', 'what a needs']);
  });

  it('shows a running gateway what another process learned', async () => {
    const state = newFolder();
    const [a, b] = [joined(usesFolder(state, silentLog)), joined(usesFolder(state, silentLog))];
    b.learn('what b needs');
    a.learn('what a needs');
    await a.leave();
    expect(learnedIn(b.index)).toEqual(['what b needs']);
    b.refresh(true);
    expect(learnedIn(b.index)).toEqual(['what a needs', 'what b needs']);
  });

  it('keeps projects apart', async () => {
    const state = newFolder();
    await using uses = usesFolder(state, silentLog);
    const [a, b] = [joined(uses, '/a'), joined(uses, '/b')];
    a.learn('what a needs');
    await a.leave();
    b.refresh(true);
    expect([learnedIn(b.index), learnedIn(joined(uses, '/a').index)]).toEqual([[], ['what a needs']]);
  });

  it('forgets while learning is switched off, and knows again when it is switched on', async () => {
    const a = joined(usesFolder(newFolder(), silentLog));
    a.learn('what a needs');
    await a.leave();
    a.refresh(false);
    expect(learnedIn(a.index)).toEqual([]);
    a.refresh(true);
    expect(learnedIn(a.index)).toEqual(['what a needs']);
  });

  it.each([
    { title: 'no JSON', text: '{' },
    { title: 'of another version', text: '{"version":2,"uses":[]}' },
    { title: 'too large', text: `{"version":1,"uses":[]}${' '.repeat(4 * 1024 * 1024)}` },
  ])('replaces a file that is $title, and logs that', async ({ text }) => {
    const state = newFolder();
    const a = joined(usesFolder(state, silentLog));
    a.learn('before');
    await a.leave();
    for (const path of filesIn(state)) writeFileSync(path, text);
    const logged: string[] = [];
    const b = joined(usesFolder(state, (_, message) => logged.push(message)));
    expect([learnedIn(b.index), logged]).toEqual([[], ['the search usage file is invalid and is replaced']]);
    b.learn('after');
    await b.leave();
    expect(learnedIn(joined(usesFolder(state, silentLog)).index)).toEqual(['after']);
  });

  it('learns even if the file says that all was forgotten in the future', async () => {
    const state = newFolder();
    const a = joined(usesFolder(state, silentLog));
    a.learn('before');
    await a.leave();
    for (const path of filesIn(state)) {
      const kept = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...kept, forgottenAt: Date.now() + 1e9 }));
    }
    expect(learnedIn(joined(usesFolder(state, silentLog)).index)).toEqual(['before']);
  });

  it('keeps the files of a limited number of projects, those that were written last', async () => {
    const state = newFolder();
    await using uses = usesFolder(state, silentLog);
    const first = joined(uses, '/first');
    first.learn('need');
    await first.leave();
    const [own = ''] = filesIn(state);
    const text = readFileSync(own, 'utf8');
    for (let n = 0; n < MAX_PROJECTS; n += 1)
      writeFileSync(join(state, 'uses', `${n.toString(16).padStart(40, '0')}.json`), text);
    utimesSync(own, 1, 1);
    const last = joined(uses, '/last');
    last.learn('need');
    await last.leave();
    expect(filesIn(state)).toHaveLength(MAX_PROJECTS);
    expect(filesIn(state)).not.toContain(own);
  });
});

describe('forgetUses', () => {
  it.each([
    { title: 'one project', project: '/a', count: 1, left: ['need'] },
    { title: 'all projects', project: undefined, count: 2, left: [] },
  ])('resets $title, also in a running gateway that would write again', async ({ project, count, left }) => {
    const state = newFolder();
    const uses = usesFolder(state, silentLog);
    const [a, b] = [joined(uses, '/a'), joined(uses, '/b')];
    for (const one of [a, b]) one.learn('need');
    await uses[Symbol.asyncDispose]();
    expect(await forgetUses(state, project)).toBe(count);
    a.changed();
    await a.leave();
    for (const one of [a, b]) one.refresh(true);
    expect([learnedIn(a.index), learnedIn(b.index)]).toEqual([[], left]);
    expect(learnedIn(joined(usesFolder(state, silentLog), '/a').index)).toEqual([]);
  });

  it('accepts a project in which nothing was learned', async () => {
    const state = newFolder();
    expect([await forgetUses(state, '/a'), await forgetUses(state, undefined)]).toEqual([0, 0]);
  });
});
