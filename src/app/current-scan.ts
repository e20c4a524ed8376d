import { stateOf } from '../policy/index.js';
import type { Settings } from '../settings/index.js';
import { SessionGrants } from '../use-cases/index.js';
import { type GatewayScan, type GatewayScanOptions, scanForGateway } from './gateway-scan.js';

/** The latest scan of a gateway, with the approvals that hold only while it runs. */
export class CurrentScan {
  readonly granted: SessionGrants;
  readonly #options: GatewayScanOptions;
  #latest: GatewayScan;
  #reloading: Promise<unknown> = Promise.resolve();
  #onReplaced: (before: GatewayScan) => void = () => undefined;

  private constructor(options: GatewayScanOptions, granted: SessionGrants, first: GatewayScan) {
    this.#options = options;
    this.granted = granted;
    this.#latest = first;
  }

  static async start(options: GatewayScanOptions): Promise<CurrentScan> {
    const granted = new SessionGrants();
    const scanned = { ...options, isGranted: granted.has };
    return new CurrentScan(scanned, granted, await scanForGateway(scanned, undefined));
  }

  get latest(): GatewayScan {
    return this.#latest;
  }

  get settings(): Settings {
    return this.#latest.view.settings;
  }

  /** Settles when no reload is running. */
  get settled(): Promise<unknown> {
    return this.#reloading;
  }

  /** Sets the function that applies each further scan; it gets the one before. */
  onReplaced(apply: (before: GatewayScan) => void): void {
    this.#onReplaced = apply;
  }

  /**
   * Scans again. Returns whether the offered servers changed. Sequential: if two scans overlapped, the older result
   * could replace the newer one.
   */
  reload(): Promise<boolean> {
    const next = this.#reloading.then(() => this.#reloadNow());
    this.#reloading = next.catch(() => undefined);
    return next;
  }

  async #reloadNow(): Promise<boolean> {
    const before = this.#latest;
    this.#latest = await scanForGateway(this.#options, before);
    this.#onReplaced(before);
    return offered(before) !== offered(this.#latest);
  }
}

/** The parts of the scan that a client can see. */
function offered({ view }: GatewayScan): string {
  return JSON.stringify(
    view.servers.map(({ name, alias, verdict, admitted }) => [name, alias, stateOf(verdict), admitted !== undefined]),
  );
}
