import { z } from 'zod';

const text = z.string();

/** The requests of terminal commands to a gateway, in this process or in the daemon, with their parameters. */
export const COMMAND_PARAMS = {
  /** Whether there is any server. */
  'command/servers': z.strictObject({}),
  'command/search': z.strictObject({
    query: z.array(text).min(1).readonly(),
    server: text.exactOptional(),
    limit: z.int().min(1).exactOptional(),
    /** Wait until the model for search is loaded, if it is installed. */
    loadsModel: z.boolean().exactOptional(),
  }),
  'command/tools': z.strictObject({ server: text, includeDisabled: z.boolean() }),
  'command/inspect': z.strictObject({ server: text, tool: text }),
  'command/call': z.strictObject({ server: text, tool: text, arguments: z.unknown() }),
  'command/python': z.strictObject({
    code: text,
    servers: z.array(text).readonly().exactOptional(),
    timeoutSeconds: z.number().positive().exactOptional(),
  }),
};

export type CommandMethod = keyof typeof COMMAND_PARAMS;
export type CommandParams<M extends CommandMethod> = z.infer<(typeof COMMAND_PARAMS)[M]>;

export function isCommandMethod(method: string): method is CommandMethod {
  return Object.hasOwn(COMMAND_PARAMS, method);
}
