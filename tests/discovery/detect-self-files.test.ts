import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskFiles } from '../../src/base/index.js';
import type { Host } from '../../src/model/host.js';
import { startedBy } from '../../src/sources/command-line.js';
import { whyIsSelf } from '../../src/sources/detect-self.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'copies-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const dist = join(import.meta.dirname, '../../dist');

function write(name: string, text: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
  return at(name);
}

const reads: string[] = [];
const host: Host = {
  ...{ platform: 'linux', home: folder, cwd: folder, repository: undefined, env: { PATH: at('bin') }, root: '' },
  self: undefined,
  files: {
    ...diskFiles,
    readStart: (path, maxBytes) => {
      reads.push(path);
      return diskFiles.readStart(path, maxBytes);
    },
  },
};

const reason = (command: string, ...args: string[]) => whyIsSelf('charts', startedBy(command, args), folder, host);

const MANIFEST = JSON.stringify({ name: 'portolan', bin: { portolan: 'dist/cli.cjs' } });
const COPY = 'it starts another copy of portolan';
const SCRIPT = 'it runs a script that only starts portolan';

describe('a second copy of Portolan', () => {
  mkdirSync(at('gw/dist'), { recursive: true });
  for (const name of ['cli.cjs', 'cli.js']) copyFileSync(join(dist, name), at(`gw/dist/${name}`));
  mkdirSync(at('bin'));
  copyFileSync(join(dist, 'cli.cjs'), at('renamed'));
  symlinkSync(at('gw/dist/cli.cjs'), at('bin/gateway'));
  write('source/package.json', MANIFEST);
  write('source/src/cli/main.ts', 'start();\n');
  write('source/dist/index.js', 'start();\n');
  write('source/dist/examples/weather.js', 'serve();\n');
  write('charts/package.json', JSON.stringify({ name: 'charts', bin: { portolan: 'dist/cli.js' } }));
  write('charts/dist/cli.js', 'serve();\n');
  write('broken/package.json', '{"name": "portolan", ');
  write('broken/dist/cli.js', 'serve();\n');

  it.each([
    { title: 'the built program in another folder', line: ['node', at('gw/dist/cli.cjs'), 'serve'] },
    { title: 'the ES module in another folder', line: ['node', 'gw/dist/cli.js'] },
    { title: 'the renamed program without its folder', line: [at('renamed')] },
    { title: 'a link on the PATH', line: ['gateway'] },
    { title: 'a link on the PATH, in a shell', line: ['sh', '-c', 'exec gateway "$@"'] },
    { title: 'the sources in another folder', line: ['npx', 'tsx', at('source/src/cli/main.ts')] },
    { title: 'an older copy, by its package.json', line: ['node', at('source/dist/index.js')] },
  ])('is recognised: $title', ({ line: [command = '', ...args] }) => {
    expect(reason(command, ...args)).toBe(COPY);
  });

  it.each([
    ['npx', '-y', at('source')],
    ['npx', './source'],
    ['npx', `file:${at('source')}`],
    ['npx', '-p', './source', 'gateway'],
    ['bunx', './source'],
  ])('is recognised as the package of a runner: %s %s %s', (command, ...args) => {
    expect(reason(command, ...args)).toBe('it runs the package portolan');
  });

  it.each([
    { title: 'a package of another name, for a runner', line: ['npx', './charts'] },
    { title: 'a package.json that does not parse, for a runner', line: ['npx', './broken'] },
    { title: 'an example server of the package', line: ['node', at('source/dist/examples/weather.js')] },
    { title: 'a package of another name', line: ['node', at('charts/dist/cli.js')] },
    { title: 'a package.json that does not parse', line: ['node', at('broken/dist/cli.js')] },
    { title: 'the program as an argument of another program', line: ['cat', at('renamed')] },
  ])('is not recognised: $title', ({ line: [command = '', ...args] }) => {
    expect(reason(command, ...args)).toBeUndefined();
  });
});

const SHIM = `#!/bin/sh
# the team's gateway, don't edit
set -euo pipefail
DIR="$(cd "$(dirname "$0")" && pwd)"
export PATH="$HOME/bin:$PATH" # for node
if [ -f "$DIR/.env" ]; then . "$DIR/.env"; fi
exec 2>>/tmp/gateway.log
`;

describe('a script that only starts Portolan', () => {
  const scripts: Readonly<Record<string, string>> = {
    'plain.sh': '#!/bin/sh\nexec portolan serve "$@"\n',
    'no-ending': '#!/usr/bin/env bash\nportolan\n',
    'flags.sh': '#!/usr/bin/env -S bash -e\nexec portolan serve\n',
    'shim.sh': `${SHIM}exec npx -y portolan@latest serve "$@"\n`,
    'own-folder.sh': `${SHIM}exec node "$DIR/gw/dist/cli.cjs" serve 2>/dev/null\n`,
    'dirname.sh': '#!/bin/sh\nexec "$(dirname "$0")/gw/dist/cli.cjs" "$@"\n',
    'branches.sh': '#!/bin/sh\nif [ -x ./node ]; then\n  ./node /opt/portolan/dist/cli.js\nelse\n  portolan\nfi\n',
    'no-shebang.sh': 'portolan serve\n',
    'nested.sh': '#!/bin/sh\nexec ./plain.sh\n',
    shebang: '#!/usr/bin/env -S portolan serve\nanything\n',
    'start.cmd': '@echo off\r\nrem the gateway\r\nset A=1\r\n@call npx -y portolan serve %*\r\n',
    'beside.bat': '"%~dp0gw\\dist\\..\\portolan.cmd" %*\r\n',
    'start.ps1': '$env:A = 1\n& portolan serve @args\n',
    'load.js': "#!/usr/bin/env node\n'use strict';\n// the gateway\nrequire('./gw/dist/cli.cjs');\n",
    'load.mjs': '/* the gateway */\nimport "portolan/dist/cli.js"\n',
    'dynamic.mjs': "await import('./gw/dist/cli.js');\n",
    'child.js':
      "const { spawn } = require('node:child_process');\nconst child = spawn('npx', ['-y', 'portolan@1', 'serve'], {\n  stdio: 'inherit',\n});\nchild.on('exit', (code) => process.exit(code ?? 1));\n",
  };

  it.each(Object.keys(scripts))('is recognised: %s', (name) => {
    const path = write(name, scripts[name] ?? '');
    expect(reason(path)).toBe(SCRIPT);
  });

  it.each([
    { line: ['sh', 'plain.sh'] },
    { line: ['bash', '-e', './shim.sh', 'serve'] },
    { line: ['node', 'load.js'] },
    { line: ['node', './load'] },
    { line: ['env', 'A=1', './plain.sh'] },
    { line: ['cmd', '/c', 'start.cmd'] },
    { line: ['pwsh', '-File', './start.ps1'] },
  ])('is recognised when it is started by $line', ({ line: [command = '', ...args] }) => {
    expect(reason(command, ...args)).toBe(SCRIPT);
  });
});

describe('a script that does not only start Portolan', () => {
  const scripts: Readonly<Record<string, string>> = {
    'other.sh': '#!/bin/sh\nexec npx -y charts --for portolan\n',
    'mention.sh': '#!/bin/sh\n# portolan starts this\necho portolan\ncd /src/portolan\nexec node server.js\n',
    'first.sh': '#!/bin/sh\nportolan approve charts\nexec node charts.js\n',
    'check.sh': '#!/bin/sh\ncommand -v portolan >/dev/null 2>&1 || exit 1\nexec charts\n',
    'here.sh': '#!/bin/sh\nexec charts <<END\nportolan\nEND\n',
    'only-prepares.sh': '#!/bin/sh\nset -e\nexport A=portolan\n',
    'empty.sh': '',
    'server.js': "const { McpServer } = require('charts');\nnew McpServer({ name: 'portolan' }).listen();\n",
    'uses.js':
      "const { execFile } = require('node:child_process');\nexecFile('portolan', ['list'], (_, out) => serve(out));\n",
    'uses-sdk.js':
      "import { Server } from 'sdk';\nimport { spawn } from 'child_process';\nspawn('portolan', [], { stdio: 'inherit' });\n",
    'two.js': "require('portolan/dist/cli.js');\nrequire('charts');\n",
    binary: '\u007fELF\0portolan',
    'loop.sh': '#!/bin/sh\nexec ./loop.sh\n',
    'large.sh': `#!/bin/sh\nexec portolan\n${'#'.repeat(20_000)}\n`,
  };

  it.each(Object.keys(scripts))('is a server: %s', (name) => {
    const path = write(name, scripts[name] ?? '');
    expect(reason(path)).toBeUndefined();
  });
});

describe('the detection', () => {
  it.skipIf(process.platform === 'win32')('opens no FIFO and no device', () => {
    spawnSync('mkfifo', [at('fifo')]);
    symlinkSync('/dev/zero', at('zero'));
    expect([reason(at('fifo')), reason(at('zero')), reason('sh', at('fifo'))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(diskFiles.readStart(at('fifo'), 10)).toBeUndefined();
    expect(diskFiles.readStart(at('zero'), 10)).toBeUndefined();
    expect(diskFiles.readStart(folder, 10)).toBeUndefined();
  });

  it('is bounded: scripts that start many scripts end the search', () => {
    const many = Array.from({ length: 200 }, (_, n) => {
      write(`many/${n}.sh`, `#!/bin/sh\nexec ./many/${n + 1}.sh\n`);
      return `./many/${n}.sh`;
    });
    write('many/all.sh', `#!/bin/sh\n${many.join('\n')}\n`);
    reads.length = 0;
    expect(reason(at('many/all.sh'))).toBeUndefined();
    expect(new Set(reads).size).toBeLessThanOrEqual(16);
  });

  it.each([
    { title: 'comments', text: '/*'.repeat(8_000) },
    { title: 'spaces', text: `const${' '.repeat(16_000)}` },
    { title: 'hashes and quotes', text: `#!/bin/sh\n${' #'.repeat(8_000)}"` },
    { title: 'calls', text: 'spawn("a",['.repeat(1_400) },
    { title: 'declarations', text: 'const a, '.repeat(1_700) },
    { title: 'quotes', text: `#!/bin/sh\n${'"\''.repeat(8_000)}` },
    { title: 'substitutions', text: `#!/bin/sh\n${'$(dirname '.repeat(1_600)}` },
  ])('takes less than 250 ms for a hostile file: $title', ({ title, text }) => {
    const path = write(`hostile/${title}${text.startsWith('#!') ? '.sh' : '.js'}`, text);
    const began = performance.now();
    expect(reason('node', path)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(250);
  });
});
