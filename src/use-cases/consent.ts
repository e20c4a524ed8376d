import { PortolanError, visible } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import type { Conversation, Definition } from '../model/index.js';
import { type Content, fingerprint, type Server, stateOf } from '../policy/index.js';
import { RpcError } from '../rpc/index.js';
import { type ApprovalQuestion, questionAbout, recordRuling } from './approve-servers.js';
import { contentOf } from './covered-text.js';

/** The user's answer about a server that waits for approval. */
type Consent = 'once' | 'always' | 'no';

/** The form that the client shows: approve or not, and for how long. Anything but an explicit approval is a denial. */
const ANSWER = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Approve this server', default: false },
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

/** Asks through the client. A client that cannot be asked, or does not answer, has not approved. */
async function askForConsent(question: ApprovalQuestion, { ask, capabilities }: Conversation): Promise<Consent> {
  if (!ask || capabilities?.elicitation === undefined) return 'no';
  try {
    const asked = ask('elicitation/create', { message: wording(question), requestedSchema: ANSWER });
    const answer = await Promise.race([asked, noAnswer()]);
    if (!answer) return 'no';
    const content: unknown = answer.content;
    if (answer.action !== 'accept' || typeof content !== 'object' || content === null) return 'no';
    const { approve, remember }: { approve?: unknown; remember?: unknown } = content;
    if (approve !== true) return 'no';
    return remember === 'always' ? 'always' : 'once';
  } catch (error) {
    if (error instanceof RpcError || error instanceof PortolanError) return 'no';
    throw error;
  }
}

/** The time limit for an answer; without one the server is not approved. */
const ANSWER_MS = 5 * 60_000;

function noAnswer(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS).unref());
}

/** The message: first the command, then text that its author chose, escaped so that it cannot imitate ours. */
function wording({ server, launch, launchDetails, changes, because, files, notes }: ApprovalQuestion): string {
  const { client, scope, source, line } = server.definition;
  const details = [
    `This would run: ${launch}`,
    ...launchDetails.map(([what, text]) => `${what}: ${text}`),
    `Defined in: ${source}:${line} (${client}, ${scope})`,
    ...(files.length > 0 ? [`An approval covers the content of: ${listed(files)}`] : []),
    ...notes.map((note) => `Note: ${note}`),
    ...(because === 'changed' ? ['It changed since it was approved:', ...changes] : []),
    ...(because === 'files' && changes.length > 0 ? ['Changes since the approval:', ...changes] : []),
    `Its configured name is ${JSON.stringify(server.name)}, its alias here is ${server.alias}. One of its tools was called.`,
  ];
  const first =
    because === 'files'
      ? 'This MCP server was approved, but a file that it runs or reads has changed since then.'
      : 'This MCP server has not been approved yet.';
  return [first, ...details.map(visible)].join('\n');
}

/** The maximum number of files, because clients show messages in a small dialog. */
const MAX_LISTED = 20;

function listed(files: readonly string[]): string {
  const more = files.length - MAX_LISTED;
  return [...files.slice(0, MAX_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Servers approved for this run. */
export class SessionGrants {
  /** The hash over the covered files, by entry. */
  readonly #hashes = new Map<string, string>();
  /** Open questions by client and server, so that several calls ask the user once. */
  readonly asking = new Map<string, Promise<boolean>>();

  add({ server: { definition } }: ApprovalQuestion, content: Content): void {
    this.#hashes.set(this.#key(definition), content.hash);
  }

  /** Without `content` the files are not compared. */
  has = (definition: Definition, content?: () => Pick<Content, 'hash'>): boolean => {
    if (this.#hashes.size === 0) return false;
    const hash = this.#hashes.get(this.#key(definition));
    return hash !== undefined && (content === undefined || hash === content().hash);
  };

  /** The identity and the place of the definition, so that any change asks again. */
  #key(definition: Definition): string {
    return JSON.stringify([fingerprint(definition), definition.source, definition.name]);
  }
}

/** Asks about a server that waits for approval, and records the answer. Returns whether it may run now. */
export async function obtainConsent(
  { name }: Pick<Server, 'name'>,
  conversation: Conversation,
  discovery: Discovery,
  granted: SessionGrants,
): Promise<boolean> {
  const server = discovery.servers.find((one) => one.name === name);
  const isPending = server && stateOf(server.verdict) === 'pending-approval';
  if (!isPending || !discovery.settings.settings.elicitation) return false;
  const key = JSON.stringify([conversation.caller ?? conversation.client, name]);
  const running = granted.asking.get(key);
  if (running) return running;
  const asking = ask(questionAbout(server, discovery), conversation, discovery, granted);
  granted.asking.set(key, asking);
  return asking.finally(() => granted.asking.delete(key));
}

async function ask(
  question: ApprovalQuestion,
  conversation: Conversation,
  discovery: Discovery,
  granted: SessionGrants,
): Promise<boolean> {
  const consent = await askForConsent(question, conversation);
  if (consent === 'no') return false;
  if (consent === 'always') await recordRuling([question.server.definition], 'approved', discovery, new Date());
  else granted.add(question, contentOf(question.server.definition, discovery));
  return true;
}
