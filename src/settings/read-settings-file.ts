import type { Problem } from '../model/index.js';
import type { Checked, UncheckedSettings } from './check-settings.js';
import type { Code, CodeResult } from './run-settings-code.js';
import type { SettingLines } from './setting-keys.js';
import type { SettingsFileCandidate, SettingsHost } from './settings-files.js';

/** Lazy imports, injected so that tests can verify that nothing was loaded. */
export interface Loaders {
  check(): Promise<(written: UncheckedSettings) => Checked>;
  runCode(): Promise<(code: Code) => Promise<CodeResult>>;
}

export const LOADERS: Loaders = {
  check: async () => (await import('./check-settings.js')).checkSettings,
  runCode: async () => (await import('./run-settings-code.js')).runCode,
};

/** Everything besides the file itself that affects reading it. */
export interface SettingsReadContext {
  readonly host: SettingsHost;
  /** Returns whether a person approved this text of a project's file. */
  readonly isApproved: (path: string, text: string) => boolean;
  readonly codeTimeoutMs: number;
  readonly loaders: Loaders;
}

export type FileResult =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'valid';
      readonly settings: ValidSettings;
      readonly lines: SettingLines;
      readonly text: string;
      readonly isApproved: boolean;
    }
  /** Code of a project without approval, which was not run. */
  | { readonly kind: 'waiting'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

type ValidSettings = Extract<Checked, { kind: 'valid' }>['settings'];

/** Reads one settings file. Code of a project runs only if its text was approved. */
export async function readSettingsFile(
  candidate: SettingsFileCandidate,
  reading: SettingsReadContext,
): Promise<FileResult> {
  const { path, scope, language, isShared = false } = candidate;
  const file = reading.host.files.read(path);
  if (file.kind === 'absent') return { kind: 'absent' };
  if (file.kind === 'failed') return { kind: 'invalid', problems: [fault(path, file.message, file.hint)] };
  const { text } = file;
  const isApproved = scope !== 'project' || reading.isApproved(path, text);
  if (language === 'code' && !isApproved) return { kind: 'waiting', text };
  const parsed = language === 'json' ? await parse(text) : await run(candidate, text, reading);
  if (parsed.kind === 'broken') {
    const hint = language === 'json' ? 'correct the JSON' : 'correct the file; it must export the settings as default';
    return { kind: 'invalid', problems: [fault(path, parsed.message, hint, parsed.line)] };
  }
  const check = await reading.loaders.check();
  const { value, lineOf } = parsed;
  const checked = check({ source: path, value, lineOf, isShared });
  return checked.kind === 'valid' ? { ...checked, text, isApproved } : checked;
}

async function parse(text: string) {
  return (await import('./parse-settings.js')).parseSettingsJson(text);
}

async function run({ path, scope, isShared }: SettingsFileCandidate, text: string, reading: SettingsReadContext) {
  const runCode = await reading.loaders.runCode();
  const result = await runCode({
    path,
    text,
    ...(isShared && { keys: (await import('./settings-schema.js')).KNOWN_KEYS[''] ?? [] }),
    alone: scope === 'project',
    env: reading.host.env,
    timeoutMs: reading.codeTimeoutMs,
  });
  if (result.kind === 'value') return { kind: 'parsed' as const, value: result.value, lineOf: () => undefined };
  return { ...result, kind: 'broken' as const };
}

function fault(source: string, message: string, hint: string, line?: number): Problem {
  const where = { source, ...(line !== undefined && { line }) };
  return { code: 'settings-invalid', severity: 'error', message, hint, ...where };
}
