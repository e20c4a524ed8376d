import type { Server } from '../../src/policy/index.js';
import { definition } from './definition.js';

/** A server with one definition, as a scan returns it. */
export function serverWith(verdict: Server['verdict'], name: string, alias = name): Server {
  const active = definition({ name });
  return { name, alias, definition: active, duplicates: [active], shadowed: [], verdict, otherNames: [] };
}
