import type { Definition, LaunchFields } from '../../src/model/index.js';

/** A definition with defaults: the command `tool`, from the user scope of Cursor. */
export function definition(fields: Partial<Definition> = {}): Definition {
  const { command, args, env, cwd, url, headers } = fields;
  const launch: LaunchFields = {
    ...(command !== undefined && { command }),
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
    ...(headers && { headers }),
  };
  const effective = Object.keys(launch).length === 0 && fields.transport === undefined ? { command: 'tool' } : launch;
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
    written: effective,
    ...effective,
    ...fields,
  };
}
