import { describe, expect, it } from 'vitest';
import { startedBy } from './command-line.js';
import { nestedGateway, outdatedGateway } from './known-gateways.js';

type Line = readonly [string, ...string[]];
const started = ([command, ...args]: Line) => startedBy(command, args);

describe('nestedGateway', () => {
  it.each<{ line: Line; gateway: string | undefined }>([
    { line: ['docker', 'mcp', 'gateway', 'run'], gateway: 'docker-mcp' },
    { line: ['docker', 'mcp', 'gateway', 'run', '--servers', 'a,b'], gateway: 'docker-mcp' },
    { line: ['docker', '--debug', 'mcp', '-v', 'gateway', '--dry-run', 'run'], gateway: 'docker-mcp' },
    { line: ['docker', '--context', 'far', 'mcp', 'gateway', 'run'], gateway: 'docker-mcp' },
    { line: ['docker.exe', 'mcp', 'gateway', 'run'], gateway: 'docker-mcp' },
    { line: ['/home/me/.docker/cli-plugins/docker-mcp', 'gateway', 'run'], gateway: 'docker-mcp' },
    { line: ['sh', '-c', 'docker mcp gateway run'], gateway: 'docker-mcp' },
    { line: ['docker', 'run', '-i', '--rm', 'docker/mcp-gateway:v2'], gateway: 'docker-mcp' },
    { line: ['npx', '-y', 'mcp-remote', 'https://x.example/mcp'], gateway: 'mcp-remote' },
    { line: ['npx', 'mcp-remote@latest', 'https://x.example/mcp'], gateway: 'mcp-remote' },
    { line: ['cmd', '/c', 'npx', '-y', 'mcp-remote', 'https://x.example'], gateway: 'mcp-remote' },
    { line: ['node', '/lib/node_modules/mcp-remote/dist/proxy.js'], gateway: 'mcp-remote' },
    { line: ['npx', '-y', '@1mcp/agent'], gateway: '1mcp' },
    { line: ['1mcp', 'serve'], gateway: '1mcp' },
    { line: ['npx', 'mcporter', 'serve'], gateway: 'mcporter' },
    { line: ['thv', 'run', 'fetch'], gateway: 'toolhive' },
    { line: ['C:\\bin\\thv.exe', 'proxy', 'stdio', 'fetch'], gateway: 'toolhive' },
    { line: ['npx', '-y', 'supergateway', '--sse', 'https://x.example/sse'], gateway: 'supergateway' },
    { line: ['uvx', 'mcp-proxy', 'https://x.example/sse'], gateway: 'mcp-proxy' },
    { line: ['npx', '-y', '@smithery/cli@latest', 'run', 'server'], gateway: 'smithery' },
    { line: ['docker', 'run', '-i', '--rm', 'acme/server'], gateway: undefined },
    { line: ['docker', 'run', '-i', 'image', 'mcp', 'gateway', 'run'], gateway: undefined },
    { line: ['docker', 'mcp', 'server', 'list'], gateway: undefined },
    { line: ['npx', 'server', 'mcp-remote'], gateway: undefined },
    { line: ['npx', '@acme/mcp-remote-tools'], gateway: undefined },
    { line: ['server', '--dir', '/opt/mcp-proxy'], gateway: undefined },
    { line: ['node', 'constructor'], gateway: undefined },
  ])('$line is $gateway', ({ line, gateway }) => {
    expect(nestedGateway(started(line))).toBe(gateway);
  });
});

describe('outdatedGateway', () => {
  it.each([
    { version: '0.0.4', warns: false },
    { version: '0.0.5', warns: true },
    { version: '0.1.15', warns: true },
    { version: '0.1.16', warns: false },
    { version: '0.2.0', warns: false },
    { version: 'latest', warns: false },
  ])('mcp-remote@$version: $warns', ({ version, warns }) => {
    const problem = outdatedGateway(started(['npx', '-y', `mcp-remote@${version}`, 'https://x.example']));
    expect(problem?.code).toBe(warns ? 'vulnerable-package' : undefined);
  });
});
