import { type AuditLine, checkedHash, type FileLine, NO_HASH, parseAuditLine } from './audit-line.js';
import type { Head } from './chain-head.js';
import { MAX_UNSEALED_LINES } from './chain-writer.js';
import type { TextLine } from './read-lines.js';

/** The kind of fault in a chain. A code never changes its meaning. */
export type Fault =
  | 'line-changed'
  | 'line-missing'
  | 'file-moved'
  | 'file-missing'
  | 'file-unreadable'
  | 'head-missing'
  | 'head-outdated'
  | 'key-missing';

/** The result of verifying a chain. `unsealed` lines are genuine, but were written after the head was last sealed. */
export type ChainState =
  | { readonly kind: 'ok'; readonly unsealed: number }
  | {
      readonly kind: 'broken';
      readonly because: Fault;
      readonly message: string;
      readonly file?: string;
      readonly line?: number;
    };

/** Verifies one chain across its files and keeps the first fault; later lines prove nothing. */
export class ChainCheck {
  readonly #chain: string;
  readonly #key: string;
  readonly #head: Head | undefined;
  #broken: Extract<ChainState, { kind: 'broken' }> | undefined;
  /** The number of lines so far, including those in deleted files. */
  #count = 0;
  #hash: string | undefined;
  #wasHeadMet = false;
  #isTorn = false;
  #file = '';
  #line = 0;
  #lastFile: string | undefined;
  /** The predecessor of the oldest existing file; it must be at or below the floor. */
  #before: string | undefined;

  constructor(chain: string, key: string, head: Head | undefined) {
    this.#chain = chain;
    this.#key = key;
    this.#head = head;
    // A head with count 0 is valid without lines: the process was killed before it wrote one.
    this.#wasHeadMet = head?.count === 0;
  }

  get count(): number {
    return this.#count;
  }

  beginFile(name: string): void {
    this.#file = name;
    this.#line = 0;
  }

  /** Adds a line and returns its content, genuine or not. */
  add({ kind, text }: TextLine): AuditLine | undefined {
    this.#line += 1;
    const line = kind === 'whole' ? parseAuditLine(text) : undefined;
    if (this.#broken) return line;
    if (this.#isTorn) this.fail('line-missing', 'the line before it is incomplete');
    else if (kind === 'torn') this.#tear(text);
    else if (this.#line === 1) this.#enter(text, line);
    else this.#follow(text, line);
    return line;
  }

  fail(because: Fault, message: string, place: 'here' | 'nowhere' = 'here'): void {
    const where = place === 'here' ? { file: this.#file, ...(this.#line > 0 && { line: this.#line }) } : {};
    this.#broken ??= { kind: 'broken', because, message, ...where };
  }

  /**
   * Returns the verdict after all lines. `latest` and `floor` are read after the lines, because the chain may be
   * growing.
   */
  finish(latest: Head | undefined, floor: string): ChainState {
    const unsealed = Math.max(0, this.#count - (latest?.count ?? 0));
    if (this.#before !== undefined && this.#before > floor)
      this.fail('file-missing', `the file before its first one, ${this.#before}, is missing`, 'nowhere');
    if (!this.#head || !latest) this.fail('head-missing', 'it has no head with a valid seal', 'nowhere');
    else if (this.#count < this.#head.count)
      this.fail('line-missing', `its last ${this.#head.count - this.#count} lines are missing`);
    else if (!this.#wasHeadMet || unsealed > MAX_UNSEALED_LINES)
      this.fail('head-outdated', 'its head is older than its lines', 'nowhere');
    return this.#broken ?? { kind: 'ok', unsealed };
  }

  /** Checks the first line of a file, which states the position in the chain. */
  #enter(text: string, line: AuditLine | undefined): void {
    if (line?.kind !== 'file' || checkedHash(text, line.previous, this.#key) === undefined)
      this.fail('line-changed', 'the first line of the file was changed');
    else if (line.file !== this.#file || line.chain !== this.#chain)
      this.fail('file-moved', `the file was created as ${line.file}`);
    else if (this.#isContinued(line)) {
      this.#lastFile = this.#file;
      this.#follow(text, line);
    }
  }

  #isContinued({ after, previous, sequence }: FileLine): boolean {
    if (this.#hash === undefined) {
      this.#before = after ?? undefined;
      this.#hash = previous;
      this.#count = sequence;
      this.#meetHead(previous);
    } else if (after !== this.#lastFile) {
      this.fail('file-missing', `the file before it, ${after}, is missing`);
    } else if (sequence !== this.#count || previous !== this.#hash) {
      this.fail('line-missing', `lines at the end of ${after} are missing`);
    }
    return this.#broken === undefined;
  }

  #follow(text: string, line: AuditLine | undefined): void {
    const hash = checkedHash(text, this.#hash ?? NO_HASH, this.#key);
    if (hash === undefined) {
      const isElsewhere = line !== undefined && line.sequence !== this.#count;
      if (isElsewhere) this.fail('line-missing', `line ${line.sequence} of the chain is at position ${this.#count}`);
      else this.fail('line-changed', 'the line was changed');
      return;
    }
    this.#hash = hash;
    this.#count += 1;
    this.#meetHead(hash);
  }

  #meetHead(hash: string): void {
    if (this.#count === this.#head?.count) this.#wasHeadMet = hash === this.#head.hash;
  }

  /** A killed process can leave only the beginning of the next line. */
  #tear(text: string): void {
    const start = `{"sequence":${this.#count},`;
    this.#isTorn = true;
    if (!text.startsWith(start.slice(0, text.length)))
      this.fail('line-changed', 'it is incomplete and was not written by this chain');
  }
}
