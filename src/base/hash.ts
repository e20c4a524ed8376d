/** SHA-256 in hex. The module behind it is loaded at the first use: a machine without servers has nothing to hash. */
export function sha256(text: string): string {
  return crypto().hash('sha256', text, 'hex');
}

/** HMAC with SHA-256, in hex: without the key nobody can try out what was hashed. */
export function hmac256(key: string, text: string): string {
  return crypto().createHmac('sha256', key).update(text).digest('hex');
}

/** A new key that nobody can guess, in hex. */
export function randomKey(): string {
  return crypto().randomBytes(32).toString('hex');
}

function crypto() {
  return process.getBuiltinModule('node:crypto');
}
