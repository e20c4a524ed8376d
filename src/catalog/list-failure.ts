import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import type { AdmittedServer } from '../policy/index.js';

/** Whoever calls a tool must not take for its failure what is that of the list. What says by itself what it was stays as it is. */
export function listFailure(error: unknown, { name, definition }: AdmittedServer): unknown {
  if (!(error instanceof PortolanError)) return error;
  const { code, message, cause } = error;
  if (code !== ErrorCode.ToolExecutionError && code !== ErrorCode.ResultTooLarge) return error;
  // Only of what we start ourselves do we hear anything.
  const look = definition.transport === 'stdio' ? `; see what it said with \`portolan logs ${shellWord(name)}\`` : '';
  const hint = error.hint ?? `the next call reads it again${look}`;
  return new PortolanError(code, `its list of tools could not be read: ${message}`, { hint, cause });
}
