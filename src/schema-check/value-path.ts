/** The path from the root to a part, as a linked list, so that it is serialized only for a message. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

const MAX_KEY_CHARACTERS = 80;

/** In the notation of a program: `items[2].name`. */
export function pathText(path: Path | undefined): string {
  const parts: string[] = [];
  for (let here = path; here; here = here.parent) parts.push(partText(here));
  return parts.reverse().join('').replace(/^\./, '');
}

function partText({ key }: Path): string {
  if (typeof key === 'number') return `[${key}]`;
  const shown = key.length > MAX_KEY_CHARACTERS ? `${key.slice(0, MAX_KEY_CHARACTERS)}…` : key;
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`;
}
