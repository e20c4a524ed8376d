import { readFileSync } from 'node:fs';
import type { ProgramName } from './programs.js';

/** The id of a line in docs/reference/guarantees.md. */
export type GuaranteeId = `${'R' | 'G' | 'S' | 'T'}${number}`;

declare module 'vitest' {
  // Vitest reads this interface: `{ tags: 'G8' }` compiles, `{ tags: 'G-8' }` does not.
  interface TestTags {
    readonly names: GuaranteeId | ProgramName;
  }
}

const DOCUMENT = new URL('../../docs/reference/guarantees.md', import.meta.url);
/** The id in bold type, then the text up to the next id, line or heading. */
const GUARANTEE = /\*\*([RGST]\d{1,2})\*\* ([^\n]*?)(?=\s*(?:\*\*[RGST]\d{1,2}\*\*|\n|$))/g;

/** The guarantees in the order of the document. */
export function readGuarantees(): readonly { readonly id: GuaranteeId; readonly text: string }[] {
  return [...readFileSync(DOCUMENT, 'utf8').matchAll(GUARANTEE)].map(([, id, text = '']) => ({
    id: id as GuaranteeId,
    text,
  }));
}

/** One tag for each guarantee, for Vitest's configuration. Vitest rejects a test with a tag that is not declared. */
export function guaranteeTags(): { name: GuaranteeId; description: string }[] {
  return readGuarantees().map(({ id, text }) => ({ name: id, description: text }));
}
