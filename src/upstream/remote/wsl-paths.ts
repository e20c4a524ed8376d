import { isObject } from '../../base/index.js';
import type { Channel, ChannelListener, Incoming, Outgoing } from '../../rpc/index.js';

/** Converts paths between WSL and an editor on Windows. */
export interface PathForms {
  toEditor(path: string): string;
  fromEditor(path: string): string;
}

/** Argument names of editor tools that hold a path; no other strings are changed. */
const PATH_KEYS = /^(?:path|file|uri|(?:old_|new_|tab_)?file_?path|fileUrl|filePath|workspaceFolders?)$/i;
const MAX_DEPTH = 32;
/** Larger texts are not searched for paths. */
const MAX_TEXT_CHARACTERS = 256 * 1024;

/** Drives are mounted under `/mnt`; Windows reaches other paths through the name of the distribution. */
export function wslPaths(distribution: string): PathForms {
  return {
    toEditor(path) {
      const drive = /^\/mnt\/([a-z])(?:\/(.*))?$/i.exec(path);
      if (drive) return `${drive[1]?.toUpperCase()}:\\${backslashes(drive[2] ?? '')}`;
      return /^\/(?!\/)/.test(path) ? `\\\\wsl.localhost\\${distribution}${backslashes(path)}` : path;
    },
    fromEditor(path) {
      const drive = /^([a-z]):[\\/](.*)$/i.exec(path);
      if (drive) return `/mnt/${drive[1]?.toLowerCase()}/${slashes(drive[2] ?? '')}`;
      const [, owner, rest] = /^[\\/]{2}wsl(?:\.localhost|\$)[\\/]([^\\/]+)(.*)$/i.exec(path) ?? [];
      // Paths of other distributions stay unchanged.
      return owner?.toLowerCase() === distribution.toLowerCase() ? slashes(rest ?? '') || '/' : path;
    },
  };
}

/** A channel that converts paths in both directions. */
export function withPaths(channel: Channel, forms: PathForms): Channel {
  return {
    get backlogBytes() {
      return channel.backlogBytes;
    },
    start: (listener) => channel.start(translated(listener, forms)),
    send: (message) => channel.send(outgoing(message, forms)),
    close: () => channel.close(),
    setRevision: (version) => channel.setRevision?.(version),
  };
}

function outgoing(message: Outgoing, { toEditor }: PathForms): Outgoing {
  if (message.kind !== 'request' || message.method !== 'tools/call' || !message.params) return message;
  const params = { ...message.params, arguments: changed(message.params.arguments, toEditor, 0) };
  return { ...message, text: undefined, params };
}

function translated(listener: ChannelListener, { fromEditor }: PathForms): ChannelListener {
  return { ...listener, message: (message) => listener.message(incoming(message, fromEditor)) };
}

function incoming(message: Incoming, form: PathForms['fromEditor']): Incoming {
  if (message.kind !== 'result' || !isObject(message.result) || !Array.isArray(message.result.content)) return message;
  const content = message.result.content.map((part: unknown) =>
    isObject(part) && typeof part.text === 'string' ? { ...part, text: changedText(part.text, form) } : part,
  );
  const { structuredContent } = message.result;
  const structured = structuredContent === undefined ? {} : { structuredContent: changed(structuredContent, form, 0) };
  // Without the original JSON text, which has the paths of the editor.
  return { kind: 'result', id: message.id, result: { ...message.result, ...structured, content } };
}

/** Editors return JSON inside a text. */
function changedText(text: string, form: (path: string) => string): string {
  if (text.length > MAX_TEXT_CHARACTERS || !/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const now = JSON.stringify(changed(value, form, 0));
    return now === JSON.stringify(value) ? text : now;
  } catch {
    return text;
  }
}

function changed(value: unknown, form: (path: string) => string, depth: number, key = ''): unknown {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === 'string') return PATH_KEYS.test(key) ? form(value) : value;
  if (Array.isArray(value)) return value.map((one) => changed(one, form, depth + 1, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one, form, depth + 1, name)]));
}

function backslashes(path: string): string {
  return path.replaceAll('/', '\\');
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}
