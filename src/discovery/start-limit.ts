import { shellWord } from '../base/index.js';
import type { Definition } from '../model/index.js';
import type { Settings } from '../settings/index.js';
import { downloadsPackage } from '../sources/index.js';

/** How long a server may take from its start to its first response. */
interface StartLimit {
  readonly ms: number;
  /** How the user can allow more time, for an error. */
  readonly hint: string;
  /** A package or image is downloaded first, which takes minutes if it is not cached. */
  readonly isDownload: boolean;
}

/** The user's setting for the server takes precedence over its entry, and the entry over the defaults. */
export function startLimit(
  name: string,
  { command, args = [], startupTimeoutMs }: Definition,
  { startTimeouts, timeouts }: Pick<Settings, 'startTimeouts' | 'timeouts'>,
): StartLimit {
  const isDownload = command !== undefined && downloadsPackage(command, args);
  const own = Object.hasOwn(startTimeouts, name) ? startTimeouts[name] : undefined;
  if (own !== undefined) return { ms: own, hint: `raise startTimeouts.${shellWord(name)}`, isDownload };
  if (startupTimeoutMs !== undefined)
    return { ms: startupTimeoutMs, hint: 'raise the start timeout in its entry', isDownload };
  return isDownload
    ? { ms: timeouts.installMs, hint: 'raise timeouts.installMs', isDownload }
    : { ms: timeouts.startMs, hint: 'raise timeouts.startMs', isDownload };
}
