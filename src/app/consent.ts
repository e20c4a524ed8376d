import { RpcError } from '../base/index.js';
import type { ServedServer } from '../gateway/index.js';
import type { Conversation } from '../model/index.js';
import { fingerprint } from '../policy/index.js';
import type { Discovery } from './discover.js';
import { type Question, questionAbout, rule } from './rule.js';

/** What a person said about a server that waits. */
export type Consent = 'once' | 'always' | 'no';

/** Something that a client may be asked: one yes, and for how long. Anything but a plain yes is a no. */
const ANSWER = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Let it run', default: false },
    remember: {
      type: 'string',
      title: 'For how long',
      enum: ['once', 'always'],
      enumNames: ['while this gateway runs', 'until it changes'],
      default: 'once',
    },
  },
  required: ['approve'],
} as const;

/** Asks by way of the client. A client that cannot be asked, or does not answer, has not agreed. */
export async function askForConsent(question: Question, { ask, abilities }: Conversation): Promise<Consent> {
  if (!ask || abilities?.elicitation === undefined) return 'no';
  try {
    const answer = await ask('elicitation/create', { message: wording(question), requestedSchema: ANSWER });
    const content: unknown = answer.content;
    if (answer.action !== 'accept' || typeof content !== 'object' || content === null) return 'no';
    const { approve, remember }: { approve?: unknown; remember?: unknown } = content;
    if (approve !== true) return 'no';
    return remember === 'always' ? 'always' : 'once';
  } catch (error) {
    if (error instanceof RpcError) return 'no';
    throw error;
  }
}

/** All that a person has to see: what would run, with what, who wrote it, and what is new about it. */
function wording({ server, definition, launch, surroundings, changes, because }: Question): string {
  const { client, scope, source, line } = definition;
  return [
    `A tool of the MCP server "${server.name}" was called, and nobody has let that server run yet.`,
    `It would run: ${launch}`,
    ...surroundings.map(([what, text]) => `${what}: ${text}`),
    `It was written by: ${client} (${scope}), ${source}:${line}`,
    ...(because === 'changed' ? ['It changed since it was approved:', ...changes] : []),
  ].join('\n');
}

/** Who was let run for now. */
export class Granted {
  readonly #prints = new Set<string>();

  add(question: Question): void {
    this.#prints.add(this.#key(question.definition));
  }

  has = (definition: Question['definition']): boolean =>
    this.#prints.size > 0 && this.#prints.has(this.#key(definition));

  /** Bound to what it is and where it is written: a changed byte asks again. */
  #key(definition: Question['definition']): string {
    return JSON.stringify([fingerprint(definition), definition.source, definition.name]);
  }
}

/** Asks about a server that waits, and writes down what was said. Says whether it may run now. */
export async function obtainConsent(
  { name }: ServedServer,
  conversation: Conversation,
  discovery: Discovery,
  granted: Granted,
): Promise<boolean> {
  const server = discovery.servers.find((one) => one.name === name);
  if (server?.state !== 'pending-approval' || !discovery.settings.settings.elicitation) return false;
  const question = questionAbout(server, discovery);
  const consent = await askForConsent(question, conversation);
  if (consent === 'no') return false;
  if (consent === 'always') await rule([question.definition], 'approved', discovery, new Date());
  else granted.add(question);
  return true;
}
