import { PortolanError } from '../base/index.js';
import type { Era } from '../model/index.js';
import type { Answer } from '../rpc/index.js';
import type { Introduction, Surface, SurfaceNotification, SurfaceRequest } from '../serve/index.js';
import { answerCommand } from './answer-command.js';
import { isCommandMethod } from './command-params.js';
import { factsOf } from './command-requests.js';
import type { ServingGateway } from './gateway-serving.js';

/** A surface that also answers terminal commands. Only the daemon's socket offers it, which other users cannot reach. */
export class CommandSurface implements Surface {
  readonly readOnlyTools: readonly string[];
  readonly #inner: Surface;
  readonly #serving: Pick<ServingGateway, 'running' | 'refresh'>;

  constructor({ session, running, refresh }: Pick<ServingGateway, 'session' | 'running' | 'refresh'>) {
    this.#inner = session.surface;
    this.#serving = { running, refresh };
    this.readOnlyTools = session.surface.readOnlyTools ?? [];
  }

  introduction(era: Era): Promise<Introduction> {
    return this.#inner.introduction(era);
  }

  answer(request: SurfaceRequest): Promise<Answer> | undefined {
    return isCommandMethod(request.method) ? this.#command(request) : this.#inner.answer(request);
  }

  onClientLeft(caller: string): void {
    this.#inner.onClientLeft?.(caller);
  }

  inputSchemaOf(name: string): unknown {
    return this.#inner.inputSchemaOf?.(name);
  }

  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined {
    return this.#inner.translate(server, notice);
  }

  /** An error is part of the result, so that the command gets its code. */
  async #command({ method, params, conversation }: SurfaceRequest): Promise<Answer> {
    const { signal, progress, session } = conversation;
    if (!isCommandMethod(method)) throw new Error(`${method} is not a request of a command`);
    try {
      // The command may follow an edit or an approval that the watched files have not reported yet.
      await this.#serving.refresh();
      const { _meta: _, ...given } = params;
      const answer = await answerCommand(this.#serving.running, method, given, { signal, session, progress });
      return { value: { answer } };
    } catch (error) {
      if (!(error instanceof PortolanError)) throw error;
      return { value: { error: factsOf(error) } };
    }
  }
}
