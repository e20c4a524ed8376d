/** SHA-256 in hex. The module behind it is loaded at the first use: a machine without servers has nothing to hash. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
