import { describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { pathsNamedBy, pathsNamedByHelper } from './launch-paths.js';

const named = (command: string, ...args: string[]) => pathsNamedBy(definition({ command, args }));

describe('pathsNamedBy', () => {
  it.each([
    { words: ['node', './a.js'], pieces: ['./a.js'] },
    { words: ['node', '-r', './a.js'], pieces: ['./a.js'] },
    { words: ['node', '-r./a.js'], pieces: ['./a.js'] },
    { words: ['node', '--require=./a b.js'], pieces: ['./a b.js'] },
    { words: ['node', '--import', 'file:///p/a.js'], pieces: ['/p/a.js'] },
    { words: ['node', '-e', "require('./a.js'); import(`./b.mjs`)"], pieces: ['./a.js', './b.mjs'] },
    { words: ['sh', '-c', 'cd sub && X=1 python3 "a b.py" < in.txt'], pieces: ['sub', 'a b.py', 'in.txt'] },
    { words: ['env', 'NODE_OPTIONS=--require=./a.js', 'node'], pieces: ['./a.js'] },
    { words: ['docker', 'run', '-v', './data:/data', 'image'], pieces: ['./data', '/data'] },
    { words: ['sh', '-c', 'python3 "$PWD/a.py" ${ROOT}/b.py'], pieces: ['a.py', 'b.py'] },
    { words: ['node', `${'./'.repeat(3_000)}a.js`], pieces: [`${'./'.repeat(3_000)}a.js`] },
    { words: ['node', '--import=file:///p/%61.js'], pieces: ['/p/a.js'] },
    { words: ['java', '@words.txt'], pieces: ['words.txt'] },
    { words: ['python3', '-mapp'], pieces: ['app'] },
    { words: ['./bin/run.sh'], pieces: ['./bin/run.sh'] },
    { words: ['tool', 'grün/ä.txt'], pieces: ['grün/ä.txt'] },
  ])('finds $pieces in $words', ({ words: [command = '', ...args], pieces }) => {
    expect(named(command, ...args).pieces).toEqual(expect.arrayContaining(pieces));
  });

  it('does not treat a program name without a directory as a file of the project', () => {
    expect(named('sh', '-c', 'make x').pieces).not.toContain('sh');
    expect(named('python3', 'make').pieces).toContain('make');
  });

  it.each([
    { title: 'many words', args: Array.from({ length: 5_000 }, (_, n) => `w${n}`) },
    { title: 'one long word', args: [Array.from({ length: 50_000 }, (_, n) => `w${n}`).join('/ ')] },
    { title: 'many commands', args: ['-c', Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(';')] },
  ])('reports quickly that $title are too many', ({ args }) => {
    const started = performance.now();
    expect(named('sh', ...args).isClear).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it.each([
    { words: ['node', './a.js', '--name', 'x y'], hasCode: false },
    { words: ['node', '-e', 'require("./a" + ".js")'], hasCode: true },
    { words: ['sh', '-c', 'python3 *.py'], hasCode: true },
    { words: ['mcp-x', '--query', 'a * (b)'], hasCode: false },
  ])('returns hasCode $hasCode for $words', ({ words: [command = '', ...args], hasCode }) => {
    expect(named(command, ...args).hasCode).toBe(hasCode);
  });

  it('parses a headers helper like the shell that runs it', () => {
    const entry = definition({ url: 'https://h.example/', headersHelper: "node ~/h.mjs 'a b'" });
    expect(pathsNamedByHelper(entry, '/home/me')).toMatchObject({
      programs: ['node'],
      pieces: ['/home/me/h.mjs', 'a b', 'a', 'b'],
    });
  });
});
