import { scriptsMixedIn, shellWord } from '../base/index.js';
import type { Problem } from '../model/index.js';
import type { PolicyInputs } from '../policy/index.js';
import type { Survey } from './survey.js';

/** What a person should know about servers that may run all the same. */
export function serverProblems({ held, verdicts }: Survey, grounds: PolicyInputs): Problem[] {
  return held.flatMap(({ name, active: chosen }) => {
    const { source, line } = chosen;
    const place = { source, line, server: name };
    const problems: Problem[] = [];
    const mixed = mixedNameText(chosen.name);
    if (mixed !== undefined)
      problems.push({
        ...place,
        code: 'mixed-scripts',
        severity: 'warning',
        message: mixed,
        hint: 'compare it with the name that you expect, and rename the entry if it is yours',
      });
    const ruling =
      grounds.fileChanges === 'warn' && verdicts.get(chosen)?.kind === 'allowed' && grounds.mustAsk(chosen)
        ? grounds.rulings.get(grounds.sealOf(chosen))
        : undefined;
    if (ruling?.verdict === 'approved' && !grounds.covers(ruling, grounds.contentOf(chosen)))
      problems.push({
        ...place,
        code: 'files-changed',
        severity: 'warning',
        message:
          'a file that it runs or reads is not as it was approved; it is started all the same ("approval.files": "warn")',
        hint: `see what changed with \`portolan why ${shellWord(name)}\`, and approve it with \`portolan approve ${shellWord(name)}\``,
      });
    return problems;
  });
}

/** Which letters of a name imitate others, if it mixes scripts. */
export function mixedNameText(name: string): string | undefined {
  const scripts = scriptsMixedIn(name);
  if (scripts.length === 0) return undefined;
  const foreign = [...name].flatMap((letter, at) =>
    /[^\P{L}A-Za-z]/u.test(letter)
      ? [
          `letter ${at + 1} is ${letter} (U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`,
        ]
      : [],
  );
  return `its name mixes ${scripts.join(' and ')} letters and may imitate another name: ${foreign.slice(0, 5).join(', ')}`;
}
