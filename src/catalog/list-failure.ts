import { ErrorCode, PortolanError, shellWord } from '../base/index.js';
import type { AdmittedServer } from '../policy/index.js';

/**
 * Distinguishes "tools/list failed" from "the call failed". Errors that are clear without the prefix stay unchanged.
 */
export function listFailure(error: unknown, { name, definition }: AdmittedServer): unknown {
  if (!(error instanceof PortolanError)) return error;
  const { code, message, cause } = error;
  if (code !== ErrorCode.ToolExecutionError && code !== ErrorCode.ResultTooLarge) return error;
  // Only servers that we start have a log.
  const logHint = definition.transport === 'stdio' ? `; for its output run \`portolan logs ${shellWord(name)}\`` : '';
  const hint = error.hint ?? `the next call tries again${logHint}`;
  return new PortolanError(code, `its list of tools could not be read: ${message}`, { hint, cause });
}

export function noSuchServer(name: string): PortolanError {
  return new PortolanError(ErrorCode.ServerNotFound, `there is no server called ${name}`, {
    hint: 'list_mcp_servers shows the names',
  });
}
