import { unlessAborted } from '../base/index.js';
import { serverNamed } from '../use-cases/index.js';
import { COMMAND_PARAMS, type CommandMethod } from './command-params.js';
import { type CommandAnswer, type CommandContext, type CommandGateway, factsOf } from './command-requests.js';
import { type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.js';

type Answers = {
  readonly [M in CommandMethod]: (
    running: RunningGateway,
    params: unknown,
    context: CommandContext,
  ) => Promise<CommandAnswer<M>>;
};

const ANSWERS: Answers = {
  'command/servers': async ({ discovery }) => ({ count: discovery.servers.length }),
  'command/search': async (running, params, context) => {
    const { query, limit, server, loadsModel } = COMMAND_PARAMS['command/search'].parse(params);
    const { gateway } = running;
    const options = {
      ...(server !== undefined && { server: gatewayName(server, running) }),
      ...(limit !== undefined && { limit }),
      ...(loadsModel !== undefined && { loadsModel }),
    };
    const found = gateway.searchTools(query, options, conversationOf('search', context));
    const answer = await unlessAborted(found, context.signal);
    return { answer, waiting: server === undefined ? gateway.waiting.map(({ name }) => name) : [] };
  },
  'command/tools': async (running, params, context) => {
    const { server, includeDisabled } = COMMAND_PARAMS['command/tools'].parse(params);
    const name = gatewayName(server, running);
    return running.gateway.listTools(name, { includeDisabled }, conversationOf('tools', context));
  },
  'command/inspect': async (running, params, context) => {
    const { server, tool } = COMMAND_PARAMS['command/inspect'].parse(params);
    const { gateway } = running;
    const name = gatewayName(server, running);
    const details = await gateway.getToolDetails(name, tool, conversationOf('inspect', context));
    const refusal = gateway.refusalOf(name, tool);
    return { details, ...(refusal && { refusal: factsOf(refusal) }) };
  },
  'command/call': async (running, params, context) => {
    const { server, tool, arguments: given } = COMMAND_PARAMS['command/call'].parse(params);
    const name = gatewayName(server, running);
    const { value } = await running.gateway.executeTool(name, tool, given, conversationOf('call', context));
    return value;
  },
  'command/python': async ({ gateway }, params, context) => {
    const request = COMMAND_PARAMS['command/python'].parse(params);
    return gateway.runPython({ ...request, session: false }, conversationOf('python', context));
  },
};

/** Answers a request of a command. The parameters may come from another process. */
export function answerCommand<M extends CommandMethod>(
  running: RunningGateway,
  method: M,
  params: unknown,
  context: CommandContext,
): Promise<CommandAnswer<M>> {
  running.catalog.reloadPins(); // `portolan approve` may have approved a tool since
  return ANSWERS[method](running, params, context);
}

/** A gateway in this process, for one command. */
export async function openOwnGateway(options: GatewayOptions): Promise<CommandGateway> {
  const running = await startGateway(options);
  return {
    ask: (method, params, context) => answerCommand(running, method, params, context),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** The name of a server in the gateway, by any name that `portolan why` accepts; an unknown name is returned as it is. */
function gatewayName(wanted: string, { discovery }: RunningGateway): string {
  return serverNamed(wanted, discovery)?.name ?? wanted;
}

/** A person at a terminal waits, and sees the progress of a start. */
function conversationOf(command: string, context: CommandContext) {
  return { ...context, client: `portolan ${command}`, waitsForStart: true };
}
