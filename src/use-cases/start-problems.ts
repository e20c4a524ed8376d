import { type Discovery, type FoundProgram, findProgram } from '../discovery/index.js';
import { type Definition, type Host, type Problem, startFolder } from '../model/index.js';
import { stateOf } from '../policy/index.js';
import { type MissingValue, missingValues } from './missing-values.js';

/** The reasons for which servers cannot be started or will fail, as far as files and variables tell. Starts nothing. */
export function startProblems({ servers, host }: Discovery): Problem[] {
  return servers.flatMap(({ name, definition, runningInstance, verdict }) => {
    const state = stateOf(verdict);
    if (state !== 'ready' && state !== 'pending-approval' && state !== 'needs-input') return [];
    const place = { source: definition.source, line: definition.line, server: name };
    const launch = runningInstance || state === 'needs-input' ? undefined : launchProblem(definition, host);
    const values = missingValues(name, definition, host).filter(
      ({ because, kind }) => because !== 'unset' || kind === 'input',
    );
    return [
      ...(launch ? [{ ...place, ...launch }] : []),
      ...values.map((value) => ({ ...place, ...valueProblem(value) })),
    ];
  });
}

type Draft = Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>;

function valueProblem({ name, kind, because, command, description }: MissingValue): Draft {
  const about = description === undefined ? '' : ` (${description})`;
  if (because === 'empty')
    return {
      code: 'empty-variable',
      severity: 'warning',
      message: `its ${kind} ${name} is empty`,
      hint: `store a value with \`${command}\`, or remove it from the entry`,
    };
  if (because === 'refused')
    return {
      code: 'missing-stored-value',
      severity: 'error',
      message: `it cannot be started: the stored value of its ${kind} ${name} is not here, or belongs to another entry`,
      hint: `store the value again with \`${command}\``,
    };
  return {
    code: 'missing-input',
    severity: 'warning',
    message: `its ${kind} ${name}${about} has no value`,
    hint: `store a value with \`${command}\``,
  };
}

function launchProblem(definition: Definition, host: Host): Draft | undefined {
  const { command, transport, env = {}, missing = [] } = definition;
  if (command === undefined || transport !== 'stdio') return undefined;
  // The command itself may be a reference without a value, which is reported already.
  if (missing.some((name) => definition.written.command?.includes(name))) return undefined;
  const folder = startFolder(definition, host);
  if (definition.cwd !== undefined && host.files.status(folder)?.kind !== 'folder')
    return {
      code: 'missing-folder',
      severity: 'error',
      message: `it cannot be started: its working directory ${folder} does not exist`,
      hint: 'create the directory, or change `cwd` of the entry',
    };
  return commandProblem(command, findProgram(command, folder, env, host), host);
}

function commandProblem(command: string, found: FoundProgram, { platform }: Host): Draft | undefined {
  switch (found.kind) {
    case 'found':
      return undefined;
    case 'not-executable':
      return {
        code: 'missing-command',
        severity: 'error',
        message: `it cannot be started: ${found.file} is not executable`,
        hint: `make the file executable (chmod +x), or start it with its interpreter`,
      };
    case 'missing': {
      const isPath = /[/\\]/.test(command);
      const where = isPath ? 'does not exist' : 'was not found on PATH';
      const hint = isPath ? 'correct the path in `command` of the entry' : howToInstall(command, platform);
      return {
        code: 'missing-command',
        severity: 'error',
        message: `it cannot be started: ${command} ${where}`,
        hint,
      };
    }
  }
}

/** The programs that most entries start, and who provides them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  npx: 'Node.js',
  npm: 'Node.js',
  node: 'Node.js',
  uvx: 'uv',
  uv: 'uv',
  bunx: 'Bun',
  docker: 'Docker',
  deno: 'Deno',
  python: 'Python',
  python3: 'Python',
};

function howToInstall(command: string, platform: Host['platform']): string {
  const provider = PROVIDERS[command.replace(platform === 'win32' ? /\.(?:exe|cmd)$/i : /$^/, '')];
  return `install ${provider ?? 'it'}, add its directory to PATH, or set \`command\` to an absolute path`;
}
