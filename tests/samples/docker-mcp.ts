import type { Samples } from './sample.js';

export const dockerMcp: Samples = {
  client: 'docker-mcp',
  samples: [
    {
      title: 'lists the servers that are switched on, none of them to be started by us',
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
      title: 'finds nothing where none is switched on',
      files: { '~/.docker/mcp/registry.yaml': 'registry: {}\n' },
      expected: [],
    },
    {
      title: 'reports a registry that is no map',
      files: { '~/.docker/mcp/registry.yaml': 'registry: many\n' },
      expected: [],
      problems: ['invalid-entry'],
    },
  ],
};
