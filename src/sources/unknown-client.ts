import { ErrorCode, nearest, PortolanError } from '../base/index.js';
import type { Client } from './client.js';

/** The error for an unknown client. People also write a client's name, such as "VS Code". */
export function unknownClient(wanted: readonly string[], clients: readonly Client[]): PortolanError {
  const near = wanted.flatMap((one) => idsLike(one, clients));
  const meant = near.length > 0 ? `did you mean ${[...new Set(near)].join(', ')}? ` : '';
  return new PortolanError(ErrorCode.UnknownClient, `there is no client called ${wanted.join(', ')}`, {
    hint: `${meant}Use one of: ${clients.map(({ id }) => id).join(', ')}`,
  });
}

function idsLike(wanted: string, clients: readonly Client[]): string[] {
  const idOf = new Map(clients.flatMap(({ id, name }) => [[id, id] as const, [name, id] as const]));
  return nearest(wanted, idOf.keys(), 2).flatMap((name) => idOf.get(name) ?? []);
}
