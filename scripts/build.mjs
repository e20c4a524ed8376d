// Bundles src/ into dist/: one small entry that starts fast, and a chunk for each heavy module that is imported when it is needed.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = join(root, 'dist');
rmSync(out, { recursive: true, force: true });

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
  external: ['zod', '@modelcontextprotocol/client', '@modelcontextprotocol/server', 'ws', 'pyodide'],
  define: { PORTOLAN_VERSION: JSON.stringify(version) },
  legalComments: 'linked',
  logLevel: 'warning',
};
// Each apart, because what two entries share becomes chunks that both load: the library would load those of the commands,
// and both would load zod.
for (const entryPoints of [{ index: 'src/index.ts' }, { cli: 'src/cli/main.ts' }, { schemas: 'src/schemas.ts' }]) {
  await build({ ...common, entryPoints });
}
chmodSync(join(out, 'cli.js'), 0o755);

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const types = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
process.exit(types.status ?? 1);
