import { run } from '../../src/cli/run-command.js';
import type { Io } from '../../src/cli/runtime/command.js';
import { type DiscoverOptions, scanMachine } from '../../src/discovery/index.js';
import { inspectOwnSettings } from '../../src/use-cases/index.js';
import { NO_GATEWAY } from '../fakes/no-gateway.js';
import { NO_SANDBOX } from './client-over-stdio.js';
import type { Machine } from './machine.js';

/** Runs one command in this process, without a gateway, and without a terminal unless `io` has one. */
export async function commandOn(
  machine: Machine,
  args: readonly string[],
  more: Partial<DiscoverOptions> & { readonly node?: string } = {},
  io: Partial<Io> = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const options = machine.options({ ...more, env: { ...NO_SANDBOX, ...more.env } });
  const status = await run(
    args,
    { out: (line) => out.push(line), err: (line) => err.push(line), colour: false, home: machine.home, ...io },
    {
      ...NO_GATEWAY,
      discover: (chosen) => scanMachine({ ...options, ...chosen }),
      inspectSettings: inspectOwnSettings,
      machine: options,
      version: '1.2.3',
      interactive: false,
    },
  );
  return { status, out: out.join('\n'), err: err.join('\n') };
}
