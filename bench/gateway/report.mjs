import { verdictsOf } from './rows.mjs';

const LABEL = 46;
const CELL = 16;
const RATIO = 8;

const MARKS = { met: '✓', missed: '✗' };
const mark = (verdict) => (verdict ? MARKS[verdict] : ' ');

/** The table as text: a column for each contender, with the ratio to a direct connection after each figure. */
export function tableOf(rows, contenders, peers) {
  const names = contenders.map(({ name }) => name.padStart(CELL)).join('');
  const head = `${''.padEnd(LABEL)}${names}   peers  target`;
  const lines = rows.map((row) => (row.section ? `\n${row.section}` : lineOf(row, contenders, peers)));
  return [head, ...lines].join('\n');
}

function lineOf(row, contenders, peers) {
  const direct = row.values.get('direct');
  const cells = contenders.map(({ name }) => cell(row.values.get(name), name === 'direct' ? undefined : direct));
  const { target, ahead } = verdictsOf(row, peers);
  const wanted = row.target ? `${mark(target)} ${row.target.text}` : '';
  return `${`${row.label}, ${row.unit}`.padEnd(LABEL)}${cells.join('')}   ${mark(ahead).padEnd(5)}  ${wanted}`.trimEnd();
}

function cell(value, direct) {
  const ratio = value !== undefined && direct ? `${(value / direct).toFixed(2)} x` : '';
  return `${value === undefined ? '–' : figure(value)}${ratio.padStart(RATIO)}`.padStart(CELL);
}

function figure(value) {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}

/** The same as JSON: the measured figures, with the verdicts. */
export function jsonOf(rows, contenders, peers, notes) {
  return {
    node: process.version,
    contenders: contenders.map(({ name, version, problem }) => ({ name, version, problem })),
    rows: rows
      .filter((row) => !row.section)
      .map((row) => ({
        id: row.id,
        label: row.label,
        unit: row.unit,
        values: Object.fromEntries(row.values),
        target: row.target?.text,
        verdicts: verdictsOf(row, peers),
      })),
    notes,
  };
}
