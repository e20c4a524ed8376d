/** The flags with which a daemon can serve the client; with any other flag the full program runs. */
const NAMES = ['daemon', 'mcp-bridge-socket', 'mcp-client-id', 'expose', 'sandbox', 'config', 'client'] as const;

export type PipeFlags = { readonly [K in (typeof NAMES)[number]]?: string };

/** Parses the flags without loading a parser; undefined if one is unknown. */
export function pipeFlags(args: readonly string[]): PipeFlags | undefined {
  const flags: Record<string, string> = {};
  for (let at = 0; at < args.length; at += 1) {
    const [, name, inlineValue] = /^--([a-z-]+)(?:=(.*))?$/s.exec(args[at] ?? '') ?? [];
    if (!NAMES.some((known) => known === name) || name === undefined) return undefined;
    const value = inlineValue ?? args[at + 1];
    if (value === undefined || (inlineValue === undefined && value.startsWith('-'))) return undefined;
    if (inlineValue === undefined) at += 1;
    flags[name] = value;
  }
  return flags;
}
