import { ErrorCode, isObject, PortolanError, shellCharacter } from '../../base/index.js';
import { helperWords } from '../../model/index.js';
import { type Child, startChild } from '../process/child.js';
import type { Guardian } from '../process/guardian.js';
import { checkedHeaders, type HeaderFields } from './header-rules.js';

export interface HelperCall {
  /** The words as they stand in the entry. */
  readonly line: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly guardian: Guardian;
  readonly limitMs?: number;
}

const LIMIT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
/** It has had its time; this is for a process that cleans up after itself. */
const GRACE_MS = 200;

/** Asks the program of an entry for headers. Neither what it writes nor what it complains about is shown to anybody. */
export async function runHeadersHelper(call: HelperCall): Promise<HeaderFields> {
  const [command, ...args] = checkedWords(call.line, call);
  if (command === undefined) throw failed('is empty');
  const { env, cwd, guardian, limitMs = LIMIT_MS } = call;
  const child = await startChild({ command, args, env, cwd, guardian });
  child.stdin.end();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failed(`did not end within ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return parseHeaders(await Promise.race([outputOf(child), late]));
  } finally {
    clearTimeout(timer);
    await child.stop({ graceMs: GRACE_MS });
  }
}

/** The words of the line as a shell would cut them; one that only a shell could understand is refused. */
export function checkedWords(line: string, { platform, home }: Pick<HelperCall, 'platform' | 'home'>): string[] {
  const active = shellCharacter(line, platform);
  if (active !== undefined)
    throw failed(`has ${JSON.stringify(active)} in it, which only a shell understands, and it is run without one`);
  return helperWords(line, home);
}

async function outputOf({ stdout, exited }: Child): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdout) {
    bytes += part.length;
    if (bytes > MAX_OUTPUT_BYTES) throw failed(`wrote more than ${MAX_OUTPUT_BYTES} bytes`);
    parts.push(part);
  }
  const { code, signal } = await exited;
  if (signal !== null) throw failed(`was ended by ${signal}`);
  if (code !== 0) throw failed(`exited with code ${code}`);
  return Buffer.concat(parts);
}

function parseHeaders(output: Buffer): HeaderFields {
  let value: unknown;
  try {
    value = JSON.parse(output.toString());
  } catch {
    throw failed('wrote something that is no JSON'); // never with the cause, which quotes it
  }
  if (!isObject(value)) throw failed('wrote something that is no object');
  return checkedHeaders(value, 'the headers of its headersHelper');
}

function failed(what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `its headersHelper ${what}`, {
    hint: 'it is a program with its words, run without a shell, that writes a JSON object of headers within 10 s; put more than that into a script',
  });
}
