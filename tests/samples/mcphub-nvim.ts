import type { Samples } from './sample.js';

export const mcphubNvim: Samples = {
  client: 'mcphub-nvim',
  samples: [
    {
      title: 'reads JSON5, and expands variables, directories and inputs of the editor',
      files: {
        '~/.config/mcphub/servers.json': `{
  // JSON5, with single quotes and bare keys
  mcpServers: {
    files: {
      command: '\${env:RUNNER}',
      args: ['--root', '\${workspaceFolder}', '--home=\${userHome}', '$HUB_OLD', 'costs$HUB_OLD'],
      env: { SHARED: '\${HUB_SHARED}', COPIED: null, EMPTY: '', KEY: '\${input:key}', PREFIXED: '\${input:prefixed}' },
      cwd: '/srv',
      disabled_tools: ['remove'],
      autoApprove: ['read'],
    },
    remote: { url: 'https://m.example/mcp', headers: { Authorization: 'Bearer \${HUB_TOKEN}' } },
    off: { command: 'node', disabled: true },
  },
}`,
      },
      env: {
        RUNNER: 'node',
        HUB_OLD: 'old',
        HUB_TOKEN: 'h-1',
        COPIED: 'from outside',
        EMPTY: 'also from outside',
        MCP_HUB_ENV: '{"HUB_SHARED":"s-1","key":"k-1","input:prefixed":"p-1"}',
      },
      expected: [
        {
          name: 'files',
          client: 'mcphub-nvim',
          scope: 'user',
          source: '<home>/.config/mcphub/servers.json',
          transport: 'stdio',
          state: 'ready',
          command: 'node',
          args: ['--root', '<project>', '--home=<home>', 'old', 'costs$HUB_OLD'],
          env: { SHARED: 's-1', COPIED: 'from outside', EMPTY: 'also from outside', KEY: 'k-1', PREFIXED: 'p-1' },
          cwd: '/srv',
          tools: { deny: ['remove'] },
          written: {
            command: '${env:RUNNER}',
            args: ['--root', '${workspaceFolder}', '--home=${userHome}', '$HUB_OLD', 'costs$HUB_OLD'],
            env: {
              SHARED: '${HUB_SHARED}',
              KEY: '${input:key}',
              PREFIXED: '${input:prefixed}',
              COPIED: '${COPIED}',
              EMPTY: '${EMPTY}',
            },
          },
        },
        { name: 'remote', transport: 'auto', state: 'ready', headers: { Authorization: 'Bearer h-1' } },
        { name: 'off', state: 'disabled', enabled: false },
      ],
    },
    {
      title: 'executes no command in a value, and reports missing values',
      files: {
        '~/.config/mcphub/servers.json': JSON.stringify({
          servers: {
            newer: { command: 'node', env: { TOKEN: '${cmd: print-token}' } },
            older: { command: 'node', args: ['$: print-token'] },
            unset: { command: 'node', args: ['${HUB_UNSET}'], env: { HUB_COPY: null } },
            asks: { command: 'node', args: ['${input:key}'] },
          },
          mcpServers: { loses: { command: 'node' } },
        }),
      },
      expected: [
        { name: 'newer', state: 'needs-input', env: { TOKEN: '${cmd: print-token}' } },
        { name: 'older', state: 'needs-input', args: ['$: print-token'] },
        { name: 'unset', state: 'needs-input', args: ['${HUB_UNSET}'], env: {}, missing: ['HUB_COPY', 'HUB_UNSET'] },
        { name: 'asks', state: 'needs-input', inputs: [{ id: 'key' }] },
      ],
      problems: [
        'command-substitution-not-run',
        'command-substitution-not-run',
        'missing-variable',
        'missing-variable',
      ],
    },
    {
      title: 'reads only the first project file, its own before those of editors',
      files: {
        '~/.config/mcphub/servers.json': '{mcpServers:{shared:{command:"user"}}}',
        '<project>/.mcphub/servers.json': '{mcpServers:{shared:{command:"project"}}}',
        '<project>/.vscode/mcp.json': '{"servers":{"code":{"command":"node"}}}',
        '<project>/.cursor/mcp.json': '{"mcpServers":{"cursor":{"command":"node"}}}',
      },
      expected: [
        { name: 'shared', scope: 'user', command: 'user', precedence: 10 },
        { name: 'shared', scope: 'project', command: 'project', state: 'ready', precedence: 20 },
      ],
    },
    {
      title: 'reads the project file of VS Code, with inputs',
      files: {
        '<project>/.vscode/mcp.json': JSON.stringify({
          inputs: [{ type: 'promptString', id: 'key', description: 'The key', password: true }],
          servers: { code: { command: 'node', env: { KEY: '${input:key}' } } },
        }),
        '<project>/.cursor/mcp.json': '{"mcpServers":{"cursor":{"command":"node"}}}',
      },
      expected: [
        {
          name: 'code',
          scope: 'project',
          source: '<project>/.vscode/mcp.json',
          state: 'needs-input',
          inputs: [{ id: 'key', type: 'promptString', description: 'The key', password: true }],
        },
      ],
    },
    {
      title: 'reads the project file of Cursor if there is no other',
      files: { '<project>/.cursor/mcp.json': '{"mcpServers":{"cursor":{"command":"node"}}}' },
      expected: [{ name: 'cursor', scope: 'project', state: 'ready' }],
    },
  ],
};
