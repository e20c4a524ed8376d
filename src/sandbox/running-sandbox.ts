import { ErrorCode, PortolanError } from '../base/index.js';
import type { Capability, EngineName, Job, Limits, Outcome, Output, Probe } from './engine.js';
import { engineOf, enginesFor } from './engines/choose-engines.js';
import { installedEngines } from './engines/installed-engine.js';
import { storeProbeResult } from './engines/probe-cache.js';
import type { Guest } from './run/guest.js';
import { GuestPool } from './run/guest-pool.js';
import { Sessions } from './run/guest-sessions.js';
import { type RunQueue, runQueue } from './run/run-queue.js';
import type { RunOutcome } from './run/sandbox-run.js';
import type { EngineInfo, Sandbox, SandboxOptions } from './sandbox.js';

/** The chosen engine with its interpreters and queues. */
interface Chosen {
  readonly info: EngineInfo;
  readonly pool: GuestPool;
  readonly turns: RunQueue;
  readonly sessions: Sessions;
}

/** Chooses an engine, runs jobs in its interpreters and queues further jobs. */
export class RunningSandbox implements Sandbox {
  readonly #options: SandboxOptions;
  /** Guests that run a job or are being ended. */
  readonly #busy = new Set<Guest>();
  #chosen: Promise<Chosen> | undefined;
  #closed = false;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  async engine(): Promise<EngineInfo> {
    return (await this.#choice()).info;
  }

  async probe(engine: EngineName): Promise<Probe> {
    return engineOf(engine, this.#options).probe();
  }

  async probes(): Promise<readonly Probe[]> {
    const probes: Probe[] = [];
    // One after the other, because each probe starts an interpreter and parallel starts save little time.
    for (const engine of enginesFor('every', this.#options)) probes.push(await engine.probe());
    return probes;
  }

  async warm(limits: Limits): Promise<void> {
    (await this.#choice()).pool.fill(limits);
  }

  async run(job: Job, call: Capability, limits: Limits, signal: AbortSignal): Promise<Outcome> {
    const chosen = await this.#choice();
    if (job.session === undefined) return this.#runOnce(chosen, job, call, limits, signal);
    const { sessions, turns, info } = chosen;
    const session = sessions.open(job.session);
    using turn = await session.turns.take('', signal);
    using slot = turn && (await turns.take(job.client ?? '', signal));
    if (!slot) return cancelled(info);
    const { guest: kept, lost } = sessions.stateOf(session);
    const guest = kept ?? (await this.#take(chosen, limits));
    const outcome = await guest.run(job, call, limits, signal);
    sessions.keep(session, guest.alive ? guest : undefined);
    return toOutcome(outcome, info, lost || !guest.alive);
  }

  async forget(session: string): Promise<void> {
    (await this.#chosen?.catch(() => undefined))?.sessions.forget(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const chosen = await this.#chosen?.catch(() => undefined);
    if (chosen) await close(chosen);
    await Promise.all([...this.#busy].map((guest) => guest.end()));
  }

  async #runOnce(chosen: Chosen, job: Job, call: Capability, limits: Limits, signal: AbortSignal): Promise<Outcome> {
    using slot = await chosen.turns.take(job.client ?? '', signal);
    if (!slot) return cancelled(chosen.info);
    const guest = await this.#take(chosen, limits);
    const outcome = await guest.run(job, call, limits, signal);
    guest.kill(); // only the shutdown waits for its end
    return toOutcome(outcome, chosen.info, false);
  }

  async #take(chosen: Chosen, limits: Limits): Promise<Guest> {
    if (this.#closed) throw new PortolanError(ErrorCode.Cancelled, 'the sandbox is closed');
    try {
      const guest = await chosen.pool.take(limits);
      this.#busy.add(guest);
      void guest.ended.then(() => this.#busy.delete(guest));
      return guest;
    } catch (error) {
      // The engine worked at the probe but does not now, so the next job probes again.
      this.#chosen = undefined;
      await close(chosen);
      if (error instanceof PortolanError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new PortolanError(ErrorCode.SandboxUnavailable, `the sandbox ${chosen.info.name} did not start: ${why}`, {
        hint: 'run `portolan doctor` for details',
        cause: error,
      });
    }
  }

  #choice(): Promise<Chosen> {
    // Stored before the first await, so that two concurrent jobs probe only once.
    this.#chosen ??= this.#choose().catch((error: unknown) => {
      this.#chosen = undefined;
      throw error;
    });
    return this.#chosen;
  }

  async #choose(): Promise<Chosen> {
    const { engine: wanted, folder, log } = this.#options;
    const engines = wanted === 'auto' ? enginesFor('auto', this.#options) : [engineOf(wanted, this.#options)];
    const verdict = { wanted, installed: installedEngines(wanted, folder) };
    const failures: Extract<Probe, { ok: false }>[] = [];
    for (const engine of engines) {
      const probe = await engine.probe();
      if (!probe.ok) {
        failures.push(probe);
        continue;
      }
      log('info', 'sandbox chosen', { engine: engine.name, version: probe.version });
      const { version, guarantees } = probe;
      void storeProbeResult(folder, verdict, true);
      return {
        info: { name: engine.name, version, guarantees },
        pool: new GuestPool(engine, log),
        turns: runQueue(engine.atOnce),
        sessions: new Sessions(engine.sessions),
      };
    }
    await storeProbeResult(folder, verdict, false);
    throw new PortolanError(
      ErrorCode.SandboxUnavailable,
      `no sandbox can run here: ${failures.map(({ engine, problem }) => `${engine}: ${problem}`).join('; ')}`,
      { hint: failures.map(({ hint }) => hint).join('; or ') },
    );
  }
}

async function close({ pool, sessions }: Chosen): Promise<void> {
  await Promise.all([pool[Symbol.asyncDispose](), sessions[Symbol.asyncDispose]()]);
}

function toOutcome(outcome: RunOutcome, { name, guarantees }: EngineInfo, stateLost: boolean): Outcome {
  const output: Output = { ...outcome.output, engine: name, guarantees, stateLost };
  return { ...outcome, output };
}

/** The caller cancelled before the code started. */
function cancelled(info: EngineInfo): Outcome {
  const output = { stdout: '', stderr: '', files: [], truncated: [], hostCalls: 0, durationMs: 0 };
  const message = 'stopped: the call was cancelled';
  return toOutcome({ kind: 'stopped', limit: 'cancelled', message, output }, info, false);
}
