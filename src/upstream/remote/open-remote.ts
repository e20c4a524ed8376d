import type { Definition } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { Channel, StreamLimits } from '../../rpc/index.js';
import { openAutoChannel } from './auto-channel.js';
import type { EntryHeaders } from './entry-headers.js';
import { openHttpChannel } from './http-channel.js';
import { type RemoteContext, type RemoteTarget, remoteTarget } from './remote-target.js';
import { openSseChannel } from './sse-channel.js';
import { openWsChannel } from './ws-channel.js';
import { withPaths, wslPaths } from './wsl-paths.js';

export type RemoteTransport = Exclude<Definition['transport'], 'stdio' | 'socket' | 'sdk'>;

export interface OpenRemote {
  readonly channel: Channel;
  readonly headers: EntryHeaders;
}

/** Servers with transport `auto` that used SSE last time, which is tried first next time. */
const usesSse = new WeakSet<AdmittedServer>();

/** Connects to a remote server. `cwd` is the working directory of its headers helper. */
export async function openRemote(
  server: AdmittedServer,
  transport: RemoteTransport,
  cwd: string,
  context: RemoteContext,
  limits: () => StreamLimits,
): Promise<OpenRemote> {
  const target = await remoteTarget(server, cwd, context);
  const channel = await channelFor(server, transport, target, limits);
  return { channel: inEditorPaths(channel, server.definition, context), headers: target.headers };
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
        // Removed until SSE works again, so that a server that changed to HTTP is detected with the next attempt.
        first: usesSse.delete(server) ? 'sse' : 'http',
        http: () => openHttpChannel(target, limits),
        sse: () => openSseChannel(target, limits),
        isSse: () => usesSse.add(server),
      });
  }
}

/** An editor on Windows does not understand the paths of the WSL distribution in which Portolan runs. */
function inEditorPaths(channel: Channel, { ide }: Definition, { platform, env }: RemoteContext): Channel {
  const distribution = env.WSL_DISTRO_NAME;
  if (ide?.runningInWindows !== true || platform !== 'linux' || !distribution) return channel;
  return withPaths(channel, wslPaths(distribution));
}
