import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../src/sandbox/index.js';

export interface Attack {
  readonly title: string;
  /** The name of its file without the extension. */
  readonly group: string;
  readonly code: string;
  /** The allowed outcomes for each engine. `harmless` means that the attack ended and reached nothing. */
  endings(engine: string): readonly string[];
}

/** The targets that an attack receives. */
export interface Target {
  readonly engine: string;
  readonly file: string;
  readonly port: number;
  readonly pid: number;
  readonly unix: string;
  readonly calls: number;
}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'attacks');

/**
 * The attacks: `#%` begins one, `#:` lists its allowed outcomes, after the name of an engine only for that engine.
 * With `#: shown` the last line itself is the attack.
 */
export const ATTACKS: readonly Attack[] = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .sort()
  .flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split(/^#% /m)
      .slice(1)
      .map((part) => read(part, name.slice(0, -'.py'.length))),
  );

function read(part: string, group: string): Attack {
  const [title = '', ...lines] = part.trimEnd().split('\n');
  const rules = lines.filter((line) => line.startsWith('#: ')).map((line) => line.slice(3));
  const own = lines.filter((line) => !line.startsWith('#: ')).join('\n');
  const code = rules.includes('shown') ? own : `${own}\nreached`;
  return {
    title,
    group,
    code,
    endings(engine) {
      const special = rules.find((rule) => rule.startsWith(`${engine} `))?.slice(engine.length + 1);
      const all = rules.find((rule) => !/^(pyodide |deno |shown)/.test(rule));
      return (special ?? all ?? 'harmless').split(' | ');
    },
  };
}

/** The attack after the definitions that it uses. */
export function withPrelude(code: string, { engine, file, port, pid, unix, calls }: Target): string {
  return `
import os, sys
ENGINE, FILE, PORT, PID, UNIX, CALLS = ${[engine, file, port, pid, unix, calls].map((one) => JSON.stringify(one)).join(', ')}
reached = []
def attempt(what, act):
    try:
        got = act()
    except BaseException:
        return
    reached.append((what, repr(got)[:200]))
def allowed(what):
    reached[:] = [one for one in reached if one[0] != what]
def forge_bytes(data):
    while data:
        data = data[os.write(4, data):]
def forge(message):
    import json
    forge_bytes(json.dumps(message).encode() + b"\\n")
def linger():
    import time
    time.sleep(5)
${code}
`;
}

/** Whether an outcome matches an allowed ending. */
export function endsAs(outcome: Outcome, ending: string): boolean {
  const [kind, more] = ending.split(' ');
  switch (kind) {
    case 'harmless':
      return outcome.kind === 'value' && outcome.value?.text === '[]';
    case 'value':
      return outcome.kind === 'value';
    case 'threw':
      return outcome.kind === 'threw' && (more === undefined || outcome.error.type === more);
    case 'died':
      return outcome.kind === 'stopped' && outcome.limit === 'died';
    case 'stopped':
      return outcome.kind === 'stopped' && (more === undefined || outcome.limit === more);
    default:
      throw new Error(`unknown ending: ${ending}`);
  }
}
