import type { ServeOptions } from '../app/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags } from './command.js';

/** Serves the client at the other end of stdin and stdout, until it leaves. */
export function serveCommand(
  serve: (options: Omit<ServeOptions, 'input' | 'output' | 'ending'>) => Promise<void>,
): Command {
  return {
    name: 'serve',
    summary: 'serve an MCP client over stdin and stdout; this is what a client starts',
    usage: 'portolan serve [--expose all|SERVER] [--config FILE|FOLDER] [--client ID,…] [--server name=…]',
    async run(args) {
      const { config, client, server } = CHART_OPTIONS;
      const options = { config, client, server, expose: { type: 'string' } } as const;
      const { values } = flags(this, args, options, { mostWords: 0 });
      await serve({ ...chartFlags(values), ...(values.expose !== undefined && { expose: values.expose }) });
      return EXIT.ok;
    },
  };
}
