import type { Samples } from './sample.js';

export const dockerMcp: Samples = {
  client: 'docker-mcp',
  samples: [
    {
      title: 'lists the enabled servers as inventory',
      files: {
        '~/.docker/mcp/registry.yaml': `registry:
  github-official:
    ref: ""
  time:
    ref: ""
`,
        '~/.docker/mcp/catalogs/docker-mcp.yaml': `registry:
  playwright:
    image: mcp/playwright
`,
      },
      expected: [
        {
          name: 'github-official',
          client: 'docker-mcp',
          scope: 'user',
          source: '<home>/.docker/mcp/registry.yaml',
          line: 2,
          state: 'inventory-only',
        },
        { name: 'time', line: 4, state: 'inventory-only' },
      ],
    },
    {
      title: 'lists nothing without enabled servers',
      files: { '~/.docker/mcp/registry.yaml': 'registry: {}\n' },
      expected: [],
    },
    {
      title: 'reports a registry that is not a map',
      files: { '~/.docker/mcp/registry.yaml': 'registry: many\n' },
      expected: [],
      problems: ['invalid-entry'],
    },
  ],
};
