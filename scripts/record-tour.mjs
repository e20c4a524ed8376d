// Runs `portolan tour` in a terminal and draws its output as an SVG: node scripts/record-tour.mjs [docs/tour.svg]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = process.argv[2] ?? join(root, 'docs', 'tour.svg');
const program = join(root, 'dist', 'cli.cjs');

const CHARACTER = 7.8;
const LINE = 19;
const MARGIN = 24;
const BAR = 36;
const COLOURS = { text: '#d8dee9', 31: '#e06c75', 32: '#98c379', 33: '#e5c07b', 36: '#56b6c2' };

const lines = framed(recorded());
writeFileSync(target, picture(lines));
console.log(`${lines.length} lines in ${target}`);

/** The output of the tour on a terminal, which `script` provides. */
function recorded() {
  if (!existsSync(program)) throw new Error('build first: npm run build');
  const home = mkdtempSync(join(tmpdir(), 'portolan-record-'));
  // One well-known client, so that the picture shows the entry to paste.
  mkdirSync(join(home, '.cursor'));
  const command = `"${process.execPath}" "${program}" tour 2>/dev/null`;
  const words =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qefc', command, '/dev/null'];
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  try {
    const { status, stdout, error } = spawnSync('script', words, {
      cwd: home,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    if (error || status !== 0) throw new Error(`the tour ended with ${status}: ${error?.message ?? stdout}`);
    // The path of this clone is different for every reader.
    return stdout.replaceAll('\r', '').replaceAll(root, '/home/you/portolan').replaceAll(process.execPath, 'node');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Splits each line into pieces of one style. */
function framed(text) {
  const all = `\u001b[32m$\u001b[0m portolan tour\n${text}`.trimEnd().split('\n');
  return all.map((line) => {
    const style = { bold: false, dim: false, colour: undefined };
    return line.split(/(\u001b\[[\d;]*m)/).flatMap((piece) => {
      const code = /^\u001b\[(\d*)m$/.exec(piece)?.[1];
      if (code === undefined) return piece === '' ? [] : [{ text: piece, ...style }];
      if (code === '0' || code === '') Object.assign(style, { bold: false, dim: false, colour: undefined });
      else if (code === '1') style.bold = true;
      else if (code === '2') style.dim = true;
      else style.colour = COLOURS[code];
      return [];
    });
  });
}

function picture(all) {
  const columns = Math.max(...all.map((pieces) => pieces.reduce((sum, { text }) => sum + [...text].length, 0)));
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = BAR + all.length * LINE + MARGIN;
  const rows = all.map((pieces, row) => rowOf(pieces, BAR + (row + 1) * LINE)).filter(Boolean);
  const lights = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (colour, n) => `<circle cx="${MARGIN + n * 20}" cy="18" r="6" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="portolan tour in a terminal">
<rect width="100%" height="100%" rx="8" fill="#1e222a"/>
${lights.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="${COLOURS.text}">
${rows.join('\n')}
</g>
</svg>
`;
}

/** Places each piece by the column of its first character, so that columns stay aligned in a font of another width. */
function rowOf(pieces, y) {
  let column = 0;
  return pieces
    .map(({ text, bold, dim, colour }) => {
      const x = (MARGIN + column * CHARACTER).toFixed(1);
      const length = [...text].length;
      column += length;
      if (text.trim() === '') return '';
      const look = [
        ...(bold ? ['font-weight="bold"'] : []),
        ...(dim ? ['opacity="0.6"'] : []),
        ...(colour ? [`fill="${colour}"`] : []),
      ];
      const attributes = [
        `x="${x}" y="${y}"`,
        `textLength="${(length * CHARACTER).toFixed(1)}"`,
        'xml:space="preserve"',
        ...look,
      ];
      return `<text ${attributes.join(' ')}>${escaped(text)}</text>`;
    })
    .join('');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
