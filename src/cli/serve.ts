import type { GatewayOptions } from '../app/index.js';
import { CHART_OPTIONS, type Command, chartFlags, EXIT, flags } from './command.js';

/** Serves the client at the other end of stdin and stdout, until it leaves. */
export function serveCommand(serve: (options: GatewayOptions) => Promise<void>): Command {
  return {
    name: 'serve',
    summary: 'serve an MCP client over stdin and stdout; this is what a client starts',
    usage: 'portolan serve [--config FILE|FOLDER] [--client ID,…] [--server name=…]',
    async run(args) {
      const { config, client, server } = CHART_OPTIONS;
      const { values } = flags(this, args, { config, client, server }, { mostWords: 0 });
      await serve(chartFlags(values));
      return EXIT.ok;
    },
  };
}
