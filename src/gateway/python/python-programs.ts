import type { AuditLog } from '../../audit/index.js';
import { ErrorCode, PortolanError, randomKey } from '../../base/index.js';
import type { Conversation } from '../../model/index.js';
import type { PythonDependencies } from './python-dependencies.js';
import type { PythonGateway, PythonRequest, PythonRun } from './run-python.js';

/** The number of sessions for which we remember that `stateLost` was reported. */
const MAX_REPORTED_SESSIONS = 1_024;
/** The server name under which a whole program is logged, beside its calls. */
const OWN_NAME = 'portolan';

/** Runs the programs of one gateway and logs them. */
export class Programs {
  readonly #parts: PythonDependencies;
  readonly #audit: AuditLog;
  /** Separates our sessions from those of other gateways in the same sandbox. */
  readonly #scope = randomKey();
  readonly #reported = new Set<string>();

  constructor(parts: PythonDependencies, audit: AuditLog) {
    this.#parts = parts;
    this.#audit = audit;
  }

  async run(gateway: PythonGateway, request: PythonRequest, conversation: Conversation): Promise<PythonRun> {
    const started = performance.now();
    let outcome: 'ok' | 'tool-error' | ErrorCode = ErrorCode.ToolExecutionError;
    let bytes = 0;
    try {
      const run = await this.#run(gateway, request, conversation);
      const isBrokenOff = run.answer.error !== undefined && conversation.signal.aborted;
      outcome = isBrokenOff ? ErrorCode.Cancelled : run.answer.error ? 'tool-error' : 'ok';
      bytes = Buffer.byteLength(JSON.stringify(run.answer));
      return run;
    } catch (error) {
      if (error instanceof PortolanError) outcome = error.code;
      throw error;
    } finally {
      const durationMs = performance.now() - started;
      const { client } = conversation;
      const what = { client, server: OWN_NAME, tool: 'run_python', argumentsText: JSON.stringify(request) };
      this.#audit.record({ ...what, outcome, durationMs, bytes });
    }
  }

  /** Drops the variables of a disconnected client. */
  forget(session: string): void {
    this.#reported.delete(session);
    void this.#parts.sandbox().forget(this.#keyOf(session));
  }

  async #run(gateway: PythonGateway, request: PythonRequest, conversation: Conversation): Promise<PythonRun> {
    const { sandbox: engine } = gateway.view.settings;
    if (engine.engine === 'off')
      throw new PortolanError(ErrorCode.SandboxUnavailable, 'run_python is disabled by the setting sandbox.engine', {
        hint: 'ask the user to change sandbox.engine',
      });
    const { runPython } = await import('./run-python.js');
    const { stateFolder, project } = this.#parts;
    const place = {
      ...{ sandbox: this.#parts.sandbox(), stateFolder, project },
      keyOf: (session: string) => this.#keyOf(session),
      isFirst: (session: string) => this.#isFirst(session),
    };
    return runPython(gateway, place, request, conversation);
  }

  #keyOf(session: string): string {
    return `${this.#scope} ${session}`;
  }

  #isFirst(session: string): boolean {
    if (this.#reported.has(session)) return false;
    const [oldest] = this.#reported;
    if (this.#reported.size >= MAX_REPORTED_SESSIONS && oldest !== undefined) this.#reported.delete(oldest);
    this.#reported.add(session);
    return true;
  }
}
