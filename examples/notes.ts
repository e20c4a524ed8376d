// A server that keeps something: notes in one JSON file that the entry names in its environment.
// Copy this file, `npm install @modelcontextprotocol/server zod`, and keep what your users want kept.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const MAX_NOTES = 1_000;
const MAX_TEXT_CHARACTERS = 20_000;

const Note = z.object({ id: z.int(), title: z.string(), text: z.string() });
type Note = z.infer<typeof Note>;

// A server gets its settings from its entry: `"env": { "NOTES_FILE": "…" }`. Without one, notes live as long as the process.
const file = process.env.NOTES_FILE;
let notes: readonly Note[] = await readNotes();
let writing: Promise<void> = Promise.resolve();

const server = new McpServer(
  { name: 'notes', version: '1.0.0' },
  { instructions: 'Notes that are written down and found again by their words.' },
);

server.registerTool(
  'add_note',
  {
    description: 'Write a note down, to be found again by its title or text.',
    inputSchema: z.object({ title: z.string().min(1).max(200), text: z.string().max(MAX_TEXT_CHARACTERS) }),
    outputSchema: Note,
  },
  async ({ title, text }) => {
    if (notes.length >= MAX_NOTES) {
      return {
        content: [{ type: 'text', text: `There is room for ${MAX_NOTES} notes, and it is full.` }],
        isError: true,
      };
    }
    const note = { id: (notes.at(-1)?.id ?? 0) + 1, title, text };
    notes = [...notes, note];
    await save();
    return { content: [{ type: 'text', text: `Note ${note.id}: ${title}` }], structuredContent: note };
  },
);

server.registerTool(
  'search_notes',
  {
    description: 'Notes whose title or text contains some words; all notes without any.',
    inputSchema: z.object({ words: z.string().optional() }),
    outputSchema: z.object({ notes: z.array(Note) }),
    annotations: { readOnlyHint: true },
  },
  async ({ words = '' }) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = notes.filter(({ title, text }) => {
      const whole = `${title}\n${text}`.toLowerCase();
      return wanted.every((word) => whole.includes(word));
    });
    const shown = found.map(({ id, title, text }) => `${id}. ${title}\n${text}`).join('\n\n');
    return { content: [{ type: 'text', text: shown || 'No note says that.' }], structuredContent: { notes: found } };
  },
);

async function readNotes(): Promise<readonly Note[]> {
  if (file === undefined) return [];
  try {
    return z.array(Note).parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    // Only a file that is not there is no notes: one that cannot be read must not be written over.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** One write after the other, each to a file beside that takes the old one's place: a kill in the middle loses no note. */
function save(): Promise<void> {
  if (file === undefined) return Promise.resolve();
  const write = async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(notes, null, 2));
    await rename(`${file}.new`, file);
  };
  // A write that failed must not keep those after it from trying.
  writing = writing.catch(() => undefined).then(write);
  return writing;
}

await server.connect(new StdioServerTransport());
