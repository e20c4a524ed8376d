import type { Paths } from './path-template.js';
import type { ProblemDraft } from './problem-draft.js';

/** A file in the platform's directory for application data. */
export function applicationData(rest: string): Paths {
  return {
    darwin: `~/Library/Application Support/${rest}`,
    linux: `<XDG_CONFIG_HOME|~/.config>/${rest}`,
    win32: `<APPDATA|~/AppData/Roaming>/${rest}`,
  };
}

/** A file in the user directory of an editor of the VS Code family; a portable copy stores it beside itself. */
export function editorUserFolder(editor: string, rest: string): Paths {
  const portable = 'VSCODE_PORTABLE/user-data/User';
  return {
    darwin: `<${portable}|~/Library/Application Support/${editor}/User>/${rest}`,
    linux: `<${portable}|XDG_CONFIG_HOME/${editor}/User|~/.config/${editor}/User>/${rest}`,
    win32: `<${portable}|APPDATA/${editor}/User|~/AppData/Roaming/${editor}/User>/${rest}`,
  };
}

/** The editors in which an extension for VS Code may be installed. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf', 'Trae', 'Kiro', 'Antigravity'];

/** A file of an extension, in the storage of any of these editors. */
export function extensionStorage(rest: string): Paths {
  const file = `globalStorage/${rest}`;
  return {
    darwin: EDITORS.map((editor) => `~/Library/Application Support/${editor}/User/${file}`),
    linux: [
      ...EDITORS.map((editor) => `<XDG_CONFIG_HOME|~/.config>/${editor}/User/${file}`),
      `~/.vscode-server/data/User/${file}`,
    ],
    win32: EDITORS.map((editor) => `<APPDATA|~/AppData/Roaming>/${editor}/User/${file}`),
  };
}

/**
 * A file in the platform's system directory. The default path counts even if a variable names another one, because the
 * process that starts Portolan sets the environment and must not hide a managed file.
 */
export function systemFile(darwin: string, linux: string, windows: string): Paths {
  return { darwin, linux, win32: [`/ProgramData/${windows}`, `<ProgramData>/${windows}`] };
}

export function deprecated(message: string, hint: string): ProblemDraft {
  return { code: 'deprecated-location', severity: 'info', message, hint };
}
