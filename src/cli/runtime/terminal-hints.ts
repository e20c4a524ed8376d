import { PortolanError, shellWord } from '../../base/index.js';

/** Hints of the gateway name meta-tools, for models. These are the commands for users. */
const MODEL_HINTS: readonly (readonly [pattern: RegExp, replacement: (whole: string, name: string) => string])[] = [
  [/\blist_tools shows the tools of (.+)$/, (_, server) => `portolan tools ${shellWord(server)} shows its tools`],
  [/\bget_tool_details of (.+) shows its arguments$/, (_, names) => `portolan inspect ${names} shows its arguments`],
  [/\bnearest valid arguments: (.+)$/, (_, json) => `nearest valid arguments: --args ${shellWord(json)}`],
  [/\blist_mcp_servers\b/, () => 'portolan list'],
  [/\bsearch_tools\b/, () => 'portolan search'],
  [/^ask the user to /, () => ''],
  [/\bthe user can\b|\bthey can\b/, () => 'you can'],
  [/\bthe user has to\b/, () => 'you have to'],
];

/** Replaces meta-tools by commands in the hint of an error. */
export function withTerminalHint<T>(error: T): T | PortolanError {
  if (!(error instanceof PortolanError) || error.hint === undefined) return error;
  const hint = MODEL_HINTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), error.hint);
  return hint === error.hint ? error : new PortolanError(error.code, error.message, { hint, cause: error.cause });
}
