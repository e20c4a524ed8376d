/** The parts of a log file's name. Names sort in the order in which the files were created. */
export interface FileName {
  readonly name: string;
  readonly at: number;
  readonly chain: string;
  readonly pid: number;
}

const FILE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-((\d{1,10})-[0-9a-f]{12})\.jsonl$/;
const HEAD = /^(\d{1,10}-[0-9a-f]{12})\.head$/;
/** Names have four-digit years; later times are a wrong clock. */
const LAST_TIME = Date.UTC(9999, 0);

export const KEY_NAME = 'key';

export function fileName(at: number, chain: string): string {
  const time = new Date(Math.min(Math.max(0, at), LAST_TIME)).toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${chain}.jsonl`;
}

export function headName(chain: string): string {
  return `${chain}.head`;
}

export function parseFileName(name: string): FileName | undefined {
  const match = FILE.exec(name);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, chain = '', pid] = match;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}Z`);
  return Number.isNaN(at) ? undefined : { name, at, chain, pid: Number(pid) };
}

/** The chain of a head file with this name. */
export function chainOfHead(name: string): string | undefined {
  return HEAD.exec(name)?.[1];
}
