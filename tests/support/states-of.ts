import { type DiscoverOptions, discover } from '../../src/discovery/index.js';
import { makeMachine } from './machine.js';

/** Contents by path as in samples: text, or a value that is written as JSON. `<project>` is replaced. */
export type Contents = Readonly<Record<string, unknown>>;

/** The states of one client's servers, and the codes of its problems, on a throw-away machine with these files. */
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
