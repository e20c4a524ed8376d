import { ErrorCode, isObject, PortolanError, shellCharacter } from '../../base/index.js';
import { helperWords } from '../../model/index.js';
import { type Child, startChild } from '../process/child.js';
import type { Guardian } from '../process/guardian.js';
import { checkedHeaders, type HeaderFields } from './header-rules.js';

export interface HelperCall {
  /** The command line as written in the entry. */
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
/** The helper has used its time, so it gets little for clean-up. */
const GRACE_MS = 200;

/** Runs the headersHelper of an entry. Its stdout and stderr may contain secrets and are never shown. */
export async function runHeadersHelper(call: HelperCall): Promise<HeaderFields> {
  const [command, ...args] = checkedWords(call.line, call);
  if (command === undefined) throw failed('is empty');
  const { env, cwd, guardian, limitMs = LIMIT_MS } = call;
  const child = await startChild({ command, args, env, cwd, guardian });
  child.stdin.end();
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failed(`did not exit within ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return parseHeaders(await Promise.race([outputOf(child), timedOut]));
  } finally {
    clearTimeout(timer);
    await child.stop({ graceMs: GRACE_MS });
  }
}

/** Splits the command line like a shell; refuses characters that only a shell could interpret. */
export function checkedWords(line: string, { platform, home }: Pick<HelperCall, 'platform' | 'home'>): string[] {
  const active = shellCharacter(line, platform);
  if (active !== undefined)
    throw failed(`contains ${JSON.stringify(active)}, which only a shell understands, and it is run without one`);
  return helperWords(line, home);
}

async function outputOf({ stdout, exited }: Child): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdout) {
    bytes += part.length;
    if (bytes > MAX_OUTPUT_BYTES) throw failed(`printed more than ${MAX_OUTPUT_BYTES} bytes`);
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
    throw failed('printed invalid JSON'); // without the cause, which quotes the output
  }
  if (!isObject(value)) throw failed('printed JSON that is not an object');
  return checkedHeaders(value, 'the headers of its headersHelper');
}

function failed(what: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `its headersHelper ${what}`, {
    hint: 'set it to a program with arguments that prints a JSON object of headers within 10 s; it runs without a shell, so put shell code into a script',
  });
}
