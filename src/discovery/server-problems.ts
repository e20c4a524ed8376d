import { scriptsMixedIn, shellWord } from '../base/index.js';
import type { Problem } from '../model/index.js';
import type { PolicyInputs } from '../policy/index.js';
import type { Survey } from './survey.js';

/** Warnings about servers that may still run. */
export function serverProblems({ servers }: Pick<Survey, 'servers'>, grounds: PolicyInputs): Problem[] {
  return servers.flatMap(({ name, definition, verdict }) => {
    const { source, line } = definition;
    const place = { source, line, server: name };
    const problems: Problem[] = [];
    const mixed = mixedNameText(definition.name);
    if (mixed !== undefined)
      problems.push({
        ...place,
        code: 'mixed-scripts',
        severity: 'warning',
        message: mixed,
        hint: 'compare the name with the one you expect, and rename the entry if it is yours',
      });
    const ruling =
      grounds.fileChanges === 'warn' && verdict.kind === 'allowed' && grounds.mustAsk(definition)
        ? grounds.rulings.get(grounds.sealOf(definition))
        : undefined;
    if (ruling?.verdict === 'approved' && !grounds.covers(ruling, grounds.contentOf(definition)))
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
