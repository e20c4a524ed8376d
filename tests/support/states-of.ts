import { type DiscoverOptions, discover } from '../../src/discovery/index.js';
import { makeMachine } from './machine.js';

/** Contents by path as in samples, each as text or as a value to be written as JSON; `<project>` in it is filled in. */
export type Contents = Readonly<Record<string, unknown>>;

/** The state of each server that one client has on a throw-away machine with these files, and the codes of its problems. */
export async function statesOf(
  client: string,
  contents: Contents,
  options: Partial<DiscoverOptions> = {},
): Promise<{ states: Record<string, string>; problems: string[] }> {
  using machine = makeMachine();
  const texts = Object.entries(contents).map(([path, content]) => [
    path,
    (typeof content === 'string' ? content : JSON.stringify(content)).replaceAll('<project>', machine.project),
  ]);
  machine.write(Object.fromEntries(texts));
  const { definitions, problems } = await discover(
    machine.options({ platform: 'linux', clients: [client], ...options }),
  );
  return {
    states: Object.fromEntries(definitions.map(({ name, state }) => [name, state])),
    problems: problems.map(({ code }) => code),
  };
}
