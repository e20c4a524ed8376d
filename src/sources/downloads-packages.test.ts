import { expect, it } from 'vitest';
import { downloadsPackage } from './downloads-packages.js';

const downloads = (line: string) => {
  const [command = '', ...args] = line.split(' ');
  return downloadsPackage(command, args);
};

it.each([
  'npx -y server',
  'cmd /c npx -y server',
  'env KEY=1 npx server',
  'npm exec -- server',
  'bunx server',
  'bun x server',
  'pnpm dlx server',
  'yarn dlx server',
  'uvx server',
  'uv tool run server',
  'pipx run server',
  'deno run -A npm:server',
  'deno run -A jsr:@a/server',
  'docker run -i --rm image',
  'docker --context far run image',
  '/usr/bin/podman run -i image',
])('recognizes that %s downloads first', (line) => {
  expect(downloads(line)).toBe(true);
});

it.each(['node server.js', 'python -m server', '/opt/server run', 'docker exec -i box server', 'deno run server.ts'])(
  'does not expect a download of %s',
  (line) => {
    expect(downloads(line)).toBe(false);
  },
);
