/** SHA-256 in hex. The module behind it is loaded at the first use: a machine without servers has nothing to hash. */
export function sha256(data: string | Uint8Array): string {
  return crypto().hash('sha256', data, 'hex');
}

/** HMAC with SHA-256, in hex: without the key nobody can try out what was hashed. */
export function hmac256(key: string, text: string): string {
  const { inner, outer, room } = padsOf(key);
  const { hash } = crypto();
  // Two hashes in one go each take less than half the time of the object that does the same: the audit log makes two a line.
  const most = BLOCK_BYTES + text.length * MOST_BYTES_PER_UNIT;
  const whole = most <= room.length ? room : Buffer.concat([inner], most);
  const first = hash('sha256', whole.subarray(0, BLOCK_BYTES + whole.write(text, BLOCK_BYTES)), 'binary');
  outer.write(first, BLOCK_BYTES, 'binary');
  return hash('sha256', outer, 'hex');
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** No character is longer in UTF-8, counted in units of UTF-16. */
const MOST_BYTES_PER_UNIT = 3;
const ROOM_BYTES = 4_096;

interface Pads {
  readonly key: string;
  readonly inner: Buffer;
  /** Begins with `inner`; most texts fit behind it. */
  readonly room: Buffer;
  /** Has room for the hash that comes after it. */
  readonly outer: Buffer;
}
let pads: Pads | undefined;

/** The two forms of the key that HMAC is made with, kept for the next text. */
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

/** A new key that nobody can guess, in hex. */
export function randomKey(): string {
  return crypto().randomBytes(32).toString('hex');
}

/**
 * Where the ids of our requests begin: what a tool shows may end up among its server's own lines, and whoever wrote it
 * shall not be able to write the answer to the next call. Some servers keep ids in 32 bits; half of them are left to count.
 */
export function randomId(): number {
  return crypto().randomInt(2 ** 30);
}

let loaded: typeof import('node:crypto') | undefined;

function crypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
