// Bundles src/ into dist/: one small entry that starts fast, and a chunk for each heavy module that is imported when it is needed.
//   --source-maps            writes a map beside each file, which only the line count of the tests reads
//   --hide-programs=a:b      a build for tests that takes these files for absent (tests/support/programs.ts)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loadTogether } from './load-together.mjs';
import { pruneTypes } from './prune-types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = join(root, 'dist');
const hidden = process.argv.find((word) => word.startsWith('--hide-programs='))?.split('=')[1];
rmSync(out, { recursive: true, force: true });

// The types do not depend on the bundles, so both are written at the same time.
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const types = spawn(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
const typesEnded = once(types, 'exit');

const common = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  mainFields: ['module', 'main'],
  // yaml's build for Node is CommonJS and cannot be bundled into ESM; the one for browsers is the same code as ESM.
  alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
  // The SDK's server is bundled, because few programs need it and only its HTTP part is used.
  external: ['zod', '@modelcontextprotocol/client', 'ws', 'pyodide', '@napi-rs/keyring'],
  define: {
    PORTOLAN_VERSION: JSON.stringify(version),
    PORTOLAN_HIDDEN_PROGRAMS: JSON.stringify(hidden ?? ''),
  },
  legalComments: 'linked',
  logLevel: 'warning',
  // The source maps are separate files and not referenced, because only the coverage measurement reads them.
  ...(process.argv.includes('--source-maps') && { sourcemap: 'external' }),
};
// Entries are bundled separately: esbuild puts what two entries share into chunks that both load, so the library would
// load the chunks of the commands, and both would load zod.
const LATER = ['program', 'daemon-settings', 'serve-alone'];
const later = Object.fromEntries(LATER.map((name) => [name, `src/cli/${name}.ts`]));
const command = { cli: 'src/cli/main.ts', ...later };
for (const entryPoints of [{ index: 'src/index.ts' }, { schemas: 'src/schemas.ts' }]) {
  await build({ ...common, entryPoints });
}
// Discovery recognises a copy of Portolan under any name by this line (src/sources/own-file.ts).
const MARK = '/* Portolan, an MCP gateway */';
const commands = { ...common, entryPoints: command };
await build({
  ...commands,
  plugins: [await loadTogether(commands, 'program')],
  logOverride: { 'ignored-bare-import': 'silent' }, // imported only so that they are part of the bundle
});
// Not as a banner, which chunks would get, too: the library and the commands share those that are equal.
const esModule = join(out, 'cli.js');
writeFileSync(esModule, readFileSync(esModule, 'utf8').replace('\n', `\n${MARK}\n`));
// The entry that clients start is one file: CommonJS starts faster, and modules that are rarely needed are separate
// files.
await build({
  ...{ ...common, entryPoints: { cli: command.cli }, format: 'cjs', splitting: false, outExtension: { '.js': '.cjs' } },
  banner: { js: MARK },
  external: LATER.map((name) => `./${name}.js`),
});
// The SDK is bundled, so that the tour of an installed copy needs no package that Portolan itself does not need.
const examples = ['weather', 'orders', 'notes'].map((name) => [name, `examples/${name}.ts`]);
await build({ ...common, outdir: join(out, 'examples'), entryPoints: Object.fromEntries(examples) });
for (const name of ['cli.js', 'cli.cjs']) chmodSync(join(out, name), 0o755);

// A build for tests never counts as up to date, so that scripts/ready.mjs replaces it.
if (hidden !== undefined) utimesSync(join(out, 'cli.cjs'), 0, 0);

const [code] = await typesEnded;
if (existsSync(join(out, 'types'))) pruneTypes(join(out, 'types'), ['index.d.ts', 'schemas.d.ts']);
process.exit(code ?? 1);
