// Runs every command on a throw-away machine with the example servers and writes the output into docs/reference/commands.md,
// between two marks: node scripts/record-commands.mjs
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = join(root, 'dist', 'cli.cjs');
const page = join(root, 'docs', 'reference', 'commands.md');
const [BEGIN, END] = ['<!-- made by npm run docs: commands -->', '<!-- end of commands -->'];
const MOST_LINES = 14;

/** The groups of `portolan help`, in an order in which each command works: approval before the first call. The number is the most lines of output that are shown. */
const GROUPS = [
  ['See it work', [['tour', 6], ['--version']]],
  ['Discover', [['list'], ['why weather'], ['doctor'], ['config sources', 6], ['config show', 6], ['config validate']]],
  [
    'Approve and secure',
    [
      ['approve', 24],
      ['approve weather orders notes --yes', 24],
      ['deny notes'],
      ['approve notes --yes'],
      ['lock'],
      ['status'],
      ['login weather'],
      ['logout weather'],
    ],
  ],
  [
    'Use tools',
    [
      ['search "weather tomorrow"'],
      ['tools weather'],
      ['inspect weather get_forecast', 10],
      ['call weather get_forecast city=Lisbon'],
      ['python late.py --servers orders'],
    ],
  ],
  [
    'Run and monitor',
    [
      ['daemon start'],
      ['ps'],
      ['clients'],
      ['daemon status'],
      ['daemon logs', 3],
      ['daemon stop'],
      ['logs weather', 4],
      ['audit', 5],
      ['audit --verify'],
    ],
  ],
  [
    'Set up clients',
    [
      ['add clock -- node clock.js'],
      ['remove clock'],
      ['import cursor'],
      ['install cursor'],
      ['install cursor --remove'],
      ['completion bash', 3],
      ['help exit-codes', 24],
    ],
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'portolan-commands-'));
const [home, project, run] = ['home', 'project', 'run'].map((name) => join(folder, name));
for (const path of [home, join(project, 'mcp-servers'), join(home, '.cursor')]) mkdirSync(path, { recursive: true });
mkdirSync(run, { mode: 0o700 });
for (const name of ['weather', 'orders', 'notes']) {
  const env = name === 'notes' ? { env: { NOTES_FILE: join(home, 'notes.json') } } : {};
  const entry = { command: 'node', args: [join(root, 'dist', 'examples', `${name}.js`)], ...env };
  writeFileSync(
    join(project, 'mcp-servers', `${name}.json`),
    JSON.stringify({ mcpServers: { [name]: entry } }, null, 2),
  );
}
writeFileSync(
  join(project, 'late.py'),
  'orders = mcp_orders.list_orders(status="open")\nprint(len(orders["orders"]), "open")\n',
);
const env = {
  ...{ PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: run, LANG: 'C.UTF-8', NO_COLOR: '1' },
  // The daemon that is recorded here must not link to its socket from the real /tmp.
  MCP_BRIDGE_LEGACY_LINK: join(run, 'legacy.sock'),
};

try {
  const parts = GROUPS.map(([title, commands]) =>
    [`### ${title}`, '', '```console', ...commands.flatMap(shown), '```'].join('\n'),
  );
  const [before, rest = ''] = readFileSync(page, 'utf8').split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  writeFileSync(page, `${before}${BEGIN}\n\n${parts.join('\n\n')}\n\n${after}`);
} finally {
  portolan('daemon stop');
  rmSync(folder, { recursive: true, force: true });
}

function portolan(words) {
  const { status, stdout, stderr, error } = spawnSync(
    '/bin/sh',
    ['-c', `"$0" "$1" ${words}`, process.execPath, program],
    {
      ...{ cwd: project, env, encoding: 'utf8', timeout: 60_000 },
    },
  );
  if (error) throw error;
  return { status, text: `${stdout}${stderr}`.trimEnd() };
}

function shown([words, most = MOST_LINES], index, all) {
  const { status, text } = portolan(words);
  const lines = readable(text).split('\n');
  const kept = lines.length > most ? [...lines.slice(0, most), '…'] : lines;
  const said = status === 0 ? '' : `  # exits ${status}`;
  return [`$ portolan ${words}${said}`, ...kept, ...(index < all.length - 1 ? [''] : [])];
}

/** Replaces the paths of this clone and of the throw-away machine by those that a reader expects. */
function readable(text) {
  return text
    .replaceAll(root, '/home/you/portolan')
    .replaceAll(process.execPath, 'node')
    .replaceAll(project, '~/work')
    .replaceAll(home, '~')
    .replaceAll(run, '/run/user/1000');
}
