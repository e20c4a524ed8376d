import { visible } from '../../base/index.js';
import { NOT_RESTORED } from '../../model/index.js';
import type { SurfaceNotification } from './surface.js';

const MAX_WHY_CHARACTERS = 300;

/** Tells a resource's subscribers that the subscription was lost in a restart; undefined for other notifications. */
export function lostSubscription(
  server: string,
  { method, params }: SurfaceNotification,
  outer: (uri: string) => string,
): SurfaceNotification | undefined {
  if (method !== NOT_RESTORED || typeof params.uri !== 'string') return undefined;
  const uri = outer(params.uri);
  const why = visible(String(params.why).slice(0, MAX_WHY_CHARACTERS));
  const data = `The connection to the server ${visible(server)} was lost, and the subscription to ${visible(uri)} could not be restored: ${why}. Subscribe again.`;
  return { method: 'notifications/message', params: { level: 'error', logger: 'portolan', data }, about: uri };
}
