import type { Discovery } from '../../discovery/index.js';
import { clientEntries } from '../client-entries.js';
import { type InstallOptions, planInstall } from '../install-client.js';
import { takeOverSavings } from './take-over-savings.js';

/** A client on this machine, and what an installation would change for it. */
export interface DetectedClient {
  readonly client: string;
  readonly name: string;
  readonly file: string;
  /** Portolan is in its file. */
  readonly isInstalled: boolean;
  /** The servers that it starts by itself. */
  readonly servers: number;
  /** The number of their tools, without servers whose tools have not been read yet. */
  readonly tools: number;
  readonly unread: number;
  /** Whether an installation would change anything. */
  readonly isSuggested: boolean;
}

/** The clients on this machine into which Portolan can be installed. */
export async function detectedClients(discovery: Discovery, options: InstallOptions = {}): Promise<DetectedClient[]> {
  const { clients } = await clientEntries(options);
  const savings = takeOverSavings(discovery).clients;
  const detected = clients.map(async ({ client, name, file, isThere }) => {
    const { servers = 0, tools = 0, unread = [] } = savings.find((one) => one.client === client) ?? {};
    const { takeOver } = await planInstall(client, { ...options, takeOver: true });
    const isSuggested = !isThere || takeOver.length > 0;
    return { client, name, file, isInstalled: isThere, servers, tools, unread: unread.length, isSuggested };
  });
  return Promise.all(detected);
}
