import type { Definition } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { Channel, StreamLimits } from '../../rpc/index.js';
import { openAutoChannel } from './auto-channel.js';
import type { EntryHeaders } from './entry-headers.js';
import { openHttpChannel } from './http-channel.js';
import { type RemoteSurroundings, type RemoteTarget, remoteTarget } from './remote-target.js';
import { openSseChannel } from './sse-channel.js';
import { openWsChannel } from './ws-channel.js';
import { withPaths, wslPaths } from './wsl-paths.js';

export type RemoteTransport = Exclude<Definition['transport'], 'stdio' | 'socket' | 'sdk'>;

export interface OpenRemote {
  readonly channel: Channel;
  readonly headers: EntryHeaders;
}

/** Servers whose entry leaves it open and that turned out to speak the older way; asked in it at once the next time. */
const speakSse = new WeakSet<AdmittedServer>();

/** Reaches a server over the net. `cwd` is where its helper runs. */
export async function openRemote(
  server: AdmittedServer,
  transport: RemoteTransport,
  cwd: string,
  surroundings: RemoteSurroundings,
  limits: () => StreamLimits,
): Promise<OpenRemote> {
  const target = await remoteTarget(server, cwd, surroundings);
  const channel = await channelFor(server, transport, target, limits);
  return { channel: inEditorPaths(channel, server.definition, surroundings), headers: target.headers };
}

async function channelFor(
  server: AdmittedServer,
  transport: RemoteTransport,
  target: RemoteTarget,
  limits: () => StreamLimits,
): Promise<Channel> {
  switch (transport) {
    case 'http':
    case 'claudeai-proxy':
      return openHttpChannel(target, limits);
    case 'sse':
      return openSseChannel(target, limits);
    case 'ws':
      return openWsChannel(target, limits);
    case 'auto':
      return openAutoChannel({
        // Forgotten until it is heard again, so that a server that changed its mind is found out the time after.
        first: speakSse.delete(server) ? 'sse' : 'http',
        http: () => openHttpChannel(target, limits),
        sse: () => openSseChannel(target, limits),
        isSse: () => speakSse.add(server),
      });
  }
}

/** An editor in Windows does not know the paths of the Linux beside it, in which we and the client live. */
function inEditorPaths(channel: Channel, { ide }: Definition, { platform, env }: RemoteSurroundings): Channel {
  const distribution = env.WSL_DISTRO_NAME;
  if (ide?.runningInWindows !== true || platform !== 'linux' || !distribution) return channel;
  return withPaths(channel, wslPaths(distribution));
}
