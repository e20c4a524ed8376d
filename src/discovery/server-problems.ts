import { scriptsMixedIn, shellWord } from '../base/index.js';
import type { Problem } from '../model/index.js';
import type { PolicyInputs } from '../policy/index.js';
import type { Survey } from './survey.js';

/** Warnings about servers that may still run. */
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
        hint: 'compare the name with the one you expect, and rename the entry if it is yours',
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
        hint: `run \`portolan why ${shellWord(name)}\` to see the change, and \`portolan approve ${shellWord(name)}\` to approve it`,
      });
    return problems;
  });
}

/** Describes the letters of a name that imitate others, if the name mixes scripts. */
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
