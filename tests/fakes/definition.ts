import type { Definition, LaunchFields } from '../../src/model/index.js';

/** A definition as a source would give it: a program `tool` of a user of Cursor, except for what is said. */
export function definition(said: Partial<Definition> = {}): Definition {
  const { command, args, env, cwd, url, headers } = said;
  const launch: LaunchFields = {
    ...(command !== undefined && { command }),
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
    ...(headers && { headers }),
  };
  const held = Object.keys(launch).length === 0 && said.transport === undefined ? { command: 'tool' } : launch;
  return {
    name: 'a',
    client: 'cursor',
    scope: 'user',
    source: '/h/mcp.json',
    line: 1,
    transport: url === undefined ? 'stdio' : 'http',
    state: 'ready',
    enabled: true,
    precedence: 10,
    written: held,
    ...held,
    ...said,
  };
}
