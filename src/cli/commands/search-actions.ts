import { type DiscoverOptions, hostOf, ownFolders } from '../../discovery/index.js';
import { forgetSearches, installModel, removeModel } from '../../use-cases/index.js';
import { type Command, EXIT, type Io, usageError } from '../runtime/command.js';
import { printJson } from '../runtime/report-failure.js';
import { plural, shortPath } from '../runtime/terminal-text.js';
import { spin } from '../runtime/with-gateway.js';

interface ActionFlags {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly forget?: boolean;
  readonly 'install-model'?: boolean;
  readonly 'remove-model'?: boolean;
}

type Action = (machine: DiscoverOptions, values: ActionFlags, io: Io) => Promise<number>;

/** What `portolan search` does instead of a search; undefined if the flags ask for none of it. */
export function searchAction(command: Command, values: ActionFlags, needs: readonly string[]): Action | undefined {
  const actions: Readonly<Record<string, Action>> = { forget, 'install-model': install, 'remove-model': remove };
  const wanted = Object.entries(values).flatMap(([name, isSet]) => (isSet && Object.hasOwn(actions, name) ? name : []));
  const [name, other] = wanted;
  if (values.all && name !== 'forget') throw usageError(command, 'takes --all only with --forget');
  if (name === undefined) return undefined;
  if (other !== undefined) throw usageError(command, `takes only one of --${name} and --${other}`);
  if (needs.length > 0) throw usageError(command, `takes no search text with --${name}`);
  return actions[name];
}

const forget: Action = async (machine, values, io) => {
  const host = hostOf(machine);
  const project = host.repository ?? host.cwd;
  const act = () => forgetSearches(ownFolders(host).state, values.all ? undefined : project);
  if (values.json) return printJson(async () => ({ forgotten: await act() }), {}, io);
  const where = values.all ? 'all projects' : shortPath(project, io.home);
  io.out(`Forgot ${plural(await act(), 'remembered call')} of ${where}.`);
  return EXIT.ok;
};

const install: Action = async (machine, values, io) => {
  const { state } = ownFolders(hostOf(machine));
  const act = async () => {
    using ending = io.ending?.();
    const stop = spin(() => 'installing the model', io);
    try {
      return await installModel(state, process.execPath, ending?.signal);
    } finally {
      stop();
    }
  };
  if (values.json) return printJson(async () => ({ installed: await act() }), {}, io);
  io.out(`Installed the model in ${shortPath(await act(), io.home)}.`);
  io.out('A gateway uses it from its next start; for the shared one: portolan daemon stop');
  return EXIT.ok;
};

const remove: Action = async (machine, values, io) => {
  const { state, cache } = ownFolders(hostOf(machine));
  const act = () => removeModel(state, cache);
  if (values.json) return printJson(async () => ({ removed: await act() }), {}, io);
  io.out((await act()) ? 'Removed the model.' : 'The model is not installed.');
  return EXIT.ok;
};
