/** SHA-256 in hex. `node:crypto` is loaded on first use, because a start without servers hashes nothing. */
export function sha256(data: string | Uint8Array): string {
  return crypto().hash('sha256', data, 'hex');
}

/** HMAC-SHA-256 in hex. Without the key, guesses of the hashed text cannot be verified. */
export function hmac256(key: string, text: string): string {
  const { inner, outer, room } = padsOf(key);
  const { hash } = crypto();
  // Two one-shot hashes take less than half the time of an `Hmac` object, and the audit log needs two per line.
  const most = BLOCK_BYTES + text.length * MOST_BYTES_PER_UNIT;
  const whole = most <= room.length ? room : Buffer.concat([inner], most);
  const first = hash('sha256', whole.subarray(0, BLOCK_BYTES + whole.write(text, BLOCK_BYTES)), 'binary');
  outer.write(first, BLOCK_BYTES, 'binary');
  return hash('sha256', outer, 'hex');
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;
const ROOM_BYTES = 4_096;

interface Pads {
  readonly key: string;
  readonly inner: Buffer;
  /** Starts with the inner padded key; most texts fit behind it. */
  readonly room: Buffer;
  /** Starts with the outer padded key; the inner hash follows it. */
  readonly outer: Buffer;
}
let pads: Pads | undefined;

/** The two padded forms of an HMAC key, cached for the next text. */
function padsOf(key: string): Pads {
  if (pads?.key === key) return pads;
  const bytes = Buffer.from(key);
  const short = bytes.length > BLOCK_BYTES ? crypto().hash('sha256', bytes, 'buffer') : bytes;
  const block = Buffer.concat([short], BLOCK_BYTES);
  const inner = Buffer.from(block.map((byte) => byte ^ 0x36));
  pads = {
    ...{ key, inner },
    room: Buffer.concat([inner], ROOM_BYTES),
    outer: Buffer.concat([block.map((byte) => byte ^ 0x5c)], BLOCK_BYTES + HASH_BYTES),
  };
  return pads;
}

/** A new random key in hex. */
export function randomKey(): string {
  return crypto().randomBytes(32).toString('hex');
}

/**
 * The first request id, chosen at random. A tool's output can end up in its server's stdout, so its author must not be
 * able to predict the next id and forge a response. Some servers store ids in 32 bits; half of that range is left for
 * counting.
 */
export function randomId(): number {
  return crypto().randomInt(2 ** 30);
}

let loaded: typeof import('node:crypto') | undefined;

function crypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
