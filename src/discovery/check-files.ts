import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { refusedForFiles } from '../policy/index.js';
import { type CheckedContent, coveredContent } from './covered-files.js';
import type { Discovery } from './discover.js';

/** Reads the files of an admitted server again and throws if the approval does not cover their current content. */
export function checkFiles(
  { name, definition }: AdmittedServer,
  { grounds, host }: Pick<Discovery, 'grounds' | 'host'>,
): Pick<CheckedContent, 'envFileText'> {
  const { command, headersHelper, transport } = definition;
  const isStarted = (command !== undefined && transport !== 'sdk') || headersHelper !== undefined;
  if (!isStarted || grounds.fileChanges !== 'ask') return {};
  let content: CheckedContent | undefined;
  const contentOf = () => {
    content ??= coveredContent(definition, host);
    return content;
  };
  const refused = refusedForFiles(definition, { ...grounds, contentOf });
  if (refused)
    throw new PortolanError(
      ErrorCode.ServerNotApproved,
      `${name} was not started: a file that it runs or reads has changed since the approval`,
      {
        hint: `ask the user to review the change and run: portolan approve ${shellWord(name)}`,
      },
    );
  return content?.envFileText === undefined ? {} : { envFileText: content.envFileText };
}
