import { type LargeMessage, largeMessage } from '../../rpc/index.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
const END_OF_EVENT = Buffer.from('\n\n');
/** The parts of a message that are searched for its id: servers write it first or last. */
const HEAD_BYTES = 1_024;
const TAIL_BYTES = 64;
const ID_AT_THE_END = /,"id":(\d{1,15})\}\s*$/;

export interface EventRules {
  readonly maxBytes: number;
  /** After an oversized answer: end the stream, or skip to the next event. */
  readonly after: 'end' | 'skip';
  overlong(bytes: number, about: LargeMessage): void;
}

/** Limits the size of each event in a stream. An oversized event is cut, so that it yields no message. */
export function eventLimit(rules: EventRules): TransformStream<Uint8Array, Uint8Array> {
  const meter = new EventMeter(rules);
  return new TransformStream({
    transform: (chunk, controller) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (!meter.pass(bytes, (part) => controller.enqueue(part))) controller.terminate();
    },
  });
}

class EventMeter {
  readonly #rules: EventRules;
  #bytes = 0;
  #lineBytes = 0;
  #afterReturn = false;
  #isDropping = false;
  #head: Buffer = NOTHING;
  #tail: Buffer = NOTHING;

  constructor(rules: EventRules) {
    this.#rules = rules;
  }

  /** Takes linear time in the chunk size. False if the stream has ended. */
  pass(chunk: Buffer, enqueue: (part: Buffer) => void): boolean {
    let from = 0;
    let eventFrom = 0;
    const breaks = new LineBreaks(chunk);
    for (let at = 0; at < chunk.length; ) {
      const next = breaks.next(at);
      const isEnd = next < chunk.length && this.#lineEnds(next - at, chunk[next]);
      if (next >= chunk.length) {
        this.#lineBytes += next - at;
        this.#afterReturn = false;
      }
      at = Math.min(next + 1, chunk.length);
      if (!isEnd && at < chunk.length) continue;
      this.#count(chunk.subarray(eventFrom, at), isEnd);
      if (this.#bytes > this.#rules.maxBytes && !this.#isDropping) {
        enqueue(chunk.subarray(from, eventFrom));
        enqueue(END_OF_EVENT);
        this.#isDropping = true;
        // An oversized notification does not replace the answer, so only an answer ends the stream.
        if (this.#rules.after === 'end' && !this.#about().isRequest) {
          this.#rules.overlong(this.#bytes, { id: undefined, isRequest: false });
          return false;
        }
      }
      if (!isEnd) break;
      if (this.#isDropping) {
        this.#rules.overlong(this.#bytes, this.#about());
        from = at;
      }
      eventFrom = at;
      this.#begin();
    }
    if (!this.#isDropping) enqueue(chunk.subarray(from));
    return true;
  }

  /** Whether an empty line, and with it the event, ends here. */
  #lineEnds(bytes: number, character: number | undefined): boolean {
    const isSecondHalf = bytes === 0 && this.#afterReturn && character === LINE_FEED;
    const isEmpty = !isSecondHalf && this.#lineBytes + bytes === 0;
    this.#afterReturn = character === CARRIAGE_RETURN;
    this.#lineBytes = 0;
    return isEmpty;
  }

  #count(part: Buffer, isEnd: boolean): void {
    this.#bytes += part.length;
    // The id of a complete event is not needed.
    if (isEnd && this.#bytes <= this.#rules.maxBytes) return;
    if (this.#head.length < HEAD_BYTES)
      this.#head = Buffer.concat([this.#head, part.subarray(0, HEAD_BYTES - this.#head.length)]);
    this.#tail = Buffer.concat([this.#tail, part.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  }

  #begin(): void {
    this.#bytes = 0;
    this.#isDropping = false;
    this.#head = NOTHING;
    this.#tail = NOTHING;
  }

  /** Reads the id from the kept beginning and end of the event. */
  #about(): LargeMessage {
    const { id, isRequest } = largeMessage(this.#head.subarray(Math.max(0, this.#head.indexOf('{'))));
    const last = ID_AT_THE_END.exec(this.#tail.toString('latin1'))?.[1];
    return { id: id ?? (last === undefined ? undefined : Number(last)), isRequest };
  }
}

/** Finds line ends with `indexOf`, which visits each byte once per kind. */
class LineBreaks {
  readonly #chunk: Buffer;
  #feed = -1;
  #return = -1;

  constructor(chunk: Buffer) {
    this.#chunk = chunk;
  }

  /** The index of the next line end, or the length of the chunk. */
  next(from: number): number {
    if (this.#feed < from) this.#feed = this.#find(LINE_FEED, from);
    if (this.#return < from) this.#return = this.#find(CARRIAGE_RETURN, from);
    return Math.min(this.#feed, this.#return);
  }

  #find(character: number, from: number): number {
    const at = this.#chunk.indexOf(character, from);
    return at < 0 ? this.#chunk.length : at;
  }
}
