import { cleanText } from '../base/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { summaryOf } from '../search/index.js';

const MAX_DESCRIPTION_CHARACTERS = 300;

/** The description in the server's configuration, otherwise the server's own instructions. */
export function descriptionOf({ definition }: AdmittedServer, entry: CatalogEntry | undefined): string {
  const written = definition.description ?? entry?.handshake?.instructions ?? '';
  const { text } = cleanText(written, MAX_DESCRIPTION_CHARACTERS * 10);
  return summaryOf(text).slice(0, MAX_DESCRIPTION_CHARACTERS);
}
