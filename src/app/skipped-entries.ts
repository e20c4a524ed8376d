import type { Log } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';

/** An entry that was skipped because it starts or reaches Portolan itself. */
export interface SkippedEntry {
  readonly server: string;
  readonly source: string;
  readonly line: number;
  readonly reason: string;
}

export function skippedEntries({ problems }: Pick<Discovery, 'problems'>): readonly SkippedEntry[] {
  return problems
    .filter(({ code }) => code === 'self-server')
    .map(({ server = '', source = '', line = 1, message }) => ({ server, source, line, reason: message }));
}

/** Logs each skipped entry once, even if the sources are scanned repeatedly. */
export function skippedLog(log: Log): (discovery: Pick<Discovery, 'problems'>) => void {
  const logged = new Set<string>();
  return (discovery) => {
    for (const entry of skippedEntries(discovery)) {
      const key = JSON.stringify(entry);
      if (!logged.has(key)) log('warn', 'skipped an entry that starts or reaches Portolan itself', { ...entry });
      logged.add(key);
    }
  };
}
