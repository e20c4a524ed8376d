import { isObject } from '../../base/index.js';
import { META } from '../../model/index.js';
import type { Answer, Id } from '../../rpc/index.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { isLevelWanted } from './conversation.js';

const MAX_RESOURCES = 1_000;

/** The notifications that a client listens for. */
export interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

interface Ends {
  /** Subscribes to a resource at its server. */
  subscribe(uri: string): void;
  unsubscribe(uri: string): void;
  send(method: string, params: Readonly<Record<string, unknown>>): void;
  hear(filter: Filter, listener: (notice: SurfaceNotification) => void): () => void;
}

/** A request that stays open and sends the chosen notifications until it is cancelled. */
export async function listen(
  id: Id,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  { send, hear, subscribe, unsubscribe }: Ends,
): Promise<Answer> {
  const filter = readFilter(params.notifications);
  const _meta = { [META.subscription]: id };
  send('notifications/subscriptions/acknowledged', { notifications: filter, _meta });
  const stop = hear(filter, ({ method, params: told }) => send(method, { ...told, _meta }));
  for (const uri of filter.resourceSubscriptions ?? []) subscribe(uri);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stop();
  for (const uri of filter.resourceSubscriptions ?? []) unsubscribe(uri);
  return { value: { resultType: 'complete', _meta } };
}

export function wants(filter: Filter, { method, params }: SurfaceNotification): boolean {
  switch (method) {
    case 'notifications/tools/list_changed':
      return filter.toolsListChanged === true;
    case 'notifications/prompts/list_changed':
      return filter.promptsListChanged === true;
    case 'notifications/resources/list_changed':
      return filter.resourcesListChanged === true;
    case 'notifications/resources/updated':
      return filter.resourceSubscriptions?.includes(String(params.uri)) === true;
    default:
      return false;
  }
}

/** Whether a legacy client with these subscriptions and this log level gets a notification. */
export function isSubscribed(
  { method, params, about }: SurfaceNotification,
  subscribed: ReadonlySet<string>,
  logLevel: unknown,
): boolean {
  if (method === 'notifications/resources/updated') return subscribed.has(String(params.uri));
  if (about !== undefined && !subscribed.has(about)) return false;
  return method !== 'notifications/message' || isLevelWanted(params.level, logLevel);
}

function readFilter(value: unknown): Filter {
  const given = isObject(value) ? value : {};
  const uris = Array.isArray(given.resourceSubscriptions)
    ? given.resourceSubscriptions.filter((uri): uri is string => typeof uri === 'string').slice(0, MAX_RESOURCES)
    : [];
  return {
    ...(given.toolsListChanged === true && { toolsListChanged: true }),
    ...(given.promptsListChanged === true && { promptsListChanged: true }),
    ...(given.resourcesListChanged === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
