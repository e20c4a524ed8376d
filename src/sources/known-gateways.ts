import { baseName, installedPackage, packageName, type Started } from './command-line.js';
import type { ProblemDraft } from './problem-draft.js';

/** Packages and programs that are gateways for other servers, with their product names. */
const GATEWAYS: Readonly<Record<string, string>> = {
  'mcp-remote': 'mcp-remote',
  mcporter: 'mcporter',
  '1mcp': '1mcp',
  '@1mcp/agent': '1mcp',
  thv: 'toolhive',
  toolhive: 'toolhive',
  'mcp-proxy': 'mcp-proxy',
  supergateway: 'supergateway',
  'mcp-hub': 'mcp-hub',
  'mcp-hub-mcp': 'mcp-hub-mcp',
  mcphub: 'mcphub',
  '@samanhappy/mcphub': 'mcphub',
  mcpproxy: 'mcpproxy-go',
  'mcpproxy-go': 'mcpproxy-go',
  metamcp: 'metamcp',
  '@metamcp/mcp-server-metamcp': 'metamcp',
  '@smithery/cli': 'smithery',
  smithery: 'smithery',
  'mcp-gateway': 'mcp-gateway',
  mcpjungle: 'mcpjungle',
  agentgateway: 'agentgateway',
  mcpm: 'mcpm',
  mcpr: 'mcp-router',
  '@mcp_router/cli': 'mcp-router',
  '@pluggedin/pluggedin-mcp-proxy': 'pluggedin',
  'mcp-bridge': 'mcp-bridge',
};

/** The known gateway that an entry starts, if any. */
export function nestedGateway(started: readonly Started[]): string | undefined {
  for (const { kind, word, rest } of started) {
    const name = kind === 'package' ? packageName(word) : (installedPackage(word) ?? baseName(word));
    if (Object.hasOwn(GATEWAYS, name)) return GATEWAYS[name];
    if (name === 'docker' && isDockerGateway(rest)) return 'docker-mcp';
    if (name === 'docker-mcp' && words(rest).startsWith('gateway run')) return 'docker-mcp';
  }
  return undefined;
}

/** Flags of `docker` that take a value. */
const DOCKER_VALUE_FLAGS = new Set(['--context', '-c', '--host', '-H', '--config', '--log-level', '-l']);

/** `docker mcp gateway run` with flags anywhere between, or the image of the gateway. */
function isDockerGateway(args: readonly string[]): boolean {
  const plain = args.filter((_, n) => !DOCKER_VALUE_FLAGS.has(args[n - 1] ?? ''));
  const isImage = (arg: string) => /^(?:docker\.io\/)?docker\/mcp-gateway(?:[:@].*)?$/.test(arg);
  return words(plain).startsWith('mcp gateway run ') || (words(plain).startsWith('run ') && args.some(isImage));
}

function words(args: readonly string[]): string {
  return `${args.filter((arg) => !arg.startsWith('-')).join(' ')} `;
}

/** Before 0.1.16, mcp-remote passed a server's authorization endpoint to a shell (CVE-2025-6514). */
export function outdatedGateway(started: readonly Started[]): ProblemDraft | undefined {
  const pinned = started.map(({ word }) => /^mcp-remote@0\.(\d+)\.(\d+)$/.exec(word)).find((match) => match);
  if (!pinned) return undefined;
  const [, minor, patch] = pinned.map(Number);
  if ((minor === 0 && (patch ?? 0) < 5) || (minor ?? 0) > 1 || (minor === 1 && (patch ?? 0) > 15)) return undefined;
  return {
    code: 'vulnerable-package',
    severity: 'warning',
    message: `${pinned[0]} lets a hostile server run commands on this machine (CVE-2025-6514)`,
    hint: 'use mcp-remote 0.1.16 or newer',
  };
}
