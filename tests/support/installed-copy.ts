import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const isWindows = process.platform === 'win32';
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
/** npm's error for a package that is neither cached nor reachable. */
const UNREACHABLE = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|FETCH_ERROR/;

/** The packed package, installed with its dependencies into an empty directory. */
export interface InstalledCopy extends Disposable {
  readonly project: string;
  /** The path of the program. */
  readonly program: string;
}

export type Installation =
  | { readonly kind: 'installed'; readonly copy: InstalledCopy }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Packs and installs the package, from npm's cache if possible. */
export function installCopy(): Installation {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-package-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    expectDone(npm(['pack', '--ignore-scripts', '--pack-destination', folder], root));
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"private":true}');
    const install = (how: string) => npm(['install', ...QUIET, how, join(folder, tarball)], project);
    const cached = install('--offline');
    const done = cached.status === 0 ? cached : install('--prefer-offline');
    if (done.status !== 0 && UNREACHABLE.test(done.stderr)) {
      remove();
      const [line = ''] = done.stderr.split('\n');
      return {
        kind: 'unreachable',
        reason: `npm has not all dependencies in its cache and cannot fetch them: ${line}`,
      };
    }
    expectDone(done);
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const program = join(project, 'node_modules/portolan', bin.portolan);
    return { kind: 'installed', copy: { project, program, [Symbol.dispose]: remove } };
  } catch (error) {
    remove();
    throw error;
  }
}

function npm(args: readonly string[], cwd: string) {
  return spawnSync('npm', args, { cwd, encoding: 'utf8', shell: isWindows, stdio: ['ignore', 'pipe', 'pipe'] });
}

function expectDone({ status, stderr }: ReturnType<typeof npm>): void {
  if (status !== 0) throw new Error(`npm ended with ${status}: ${stderr}`);
}
