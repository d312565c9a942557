import type { GraphPicture, PicturePass, PictureResource } from './graph-picture.js';
import { megabytes } from './print-graph.js';

const LABEL_WIDTH = 190;
const LEAST_COLUMN_WIDTH = 96;
/** Approximate width of a bold letter, in pixels. */
const LETTER_WIDTH = 7;
const ROW_HEIGHT = 22;
const HEADER_HEIGHT = 84;
const COLORS = {
  read: '#4d9de0',
  write: '#e15554',
  life: '#dfe5ec',
  imported: '#f1e9d2',
  culled: '#999',
} as const;

/**
 * Draws a graph as an SVG document. It has a column per executed pass, in the order of execution, and a row per
 * resource, with its lifetime as a bar. Blue dots are reads, red dots are writes. Rows with the same number share
 * memory.
 */
export function drawGraph(picture: GraphPicture): string {
  const { passes, resources } = picture;
  const executed = passes.filter(({ isCulled }) => !isCulled);
  const culled = passes.filter(({ isCulled }) => isCulled);
  const longest = Math.max(
    0,
    ...executed.map((pass) => Math.max(pass.name.length, queueAndTime(pass).length)),
  );
  const columnWidth = Math.max(LEAST_COLUMN_WIDTH, longest * LETTER_WIDTH);
  const columnCenter = (column: number): number => LABEL_WIDTH + (column + 0.5) * columnWidth;
  const width = LABEL_WIDTH + Math.max(1, executed.length) * columnWidth + 16;
  const height = HEADER_HEIGHT + resources.length * ROW_HEIGHT + 44;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...executed.map((pass, column) => drawPass(pass, columnCenter(column), resources.length)),
    ...resources.map((resource, row) => drawResource(resource, row, executed, columnCenter)),
    text(
      8,
      height - 16,
      `transients share ${megabytes(picture.sharedBytes)} (${megabytes(picture.unsharedBytes)} if unshared)${culled.length > 0 ? `; left out: ${culled.map(({ name }) => name).join(', ')}` : ''}`,
    ),
    '</svg>',
  ];
  return parts.join('\n');
}

function queueAndTime({ queue, gpuMs }: PicturePass): string {
  return gpuMs === null ? queue : `${queue} · ${gpuMs.toFixed(2)} ms`;
}

function drawPass(pass: PicturePass, x: number, rows: number): string {
  const { name, kind } = pass;
  const bottom = HEADER_HEIGHT + rows * ROW_HEIGHT;
  return [
    `<line x1="${x}" y1="${HEADER_HEIGHT - 12}" x2="${x}" y2="${bottom}" stroke="#e8e8e8"/>`,
    text(x, 24, name, 'middle', 'bold'),
    text(x, 40, kind, 'middle'),
    text(x, 56, queueAndTime(pass), 'middle'),
  ].join('');
}

function drawResource(
  resource: PictureResource,
  row: number,
  passes: readonly PicturePass[],
  columnCenter: (column: number) => number,
): string {
  const { name, description, bytes, isImported, lives, memory } = resource;
  const y = HEADER_HEIGHT + row * ROW_HEIGHT;
  const place = (pass: string): number => passes.findIndex((each) => each.name === pass);
  const parts = [
    text(8, y + 14, `${memory === null ? '' : `${memory} · `}${name}`),
    `<title>${escapeXml(`${name}: ${description}, ${megabytes(bytes)}`)}</title>`,
  ];
  if (lives) {
    const from = isImported ? LABEL_WIDTH : columnCenter(place(lives[0])) - 10;
    const to = isImported ? columnCenter(passes.length - 1) + 40 : columnCenter(place(lives[1])) + 10;
    parts.push(
      `<rect x="${from}" y="${y + 3}" width="${to - from}" height="${ROW_HEIGHT - 6}" rx="6" fill="${isImported ? COLORS.imported : COLORS.life}"/>`,
    );
  }
  for (const [column, pass] of passes.entries()) {
    const isRead = pass.reads.some((access) => access.resource === name);
    const isWritten = pass.writes.some((access) => access.resource === name);
    if (isRead) parts.push(dot(columnCenter(column) - (isWritten ? 5 : 0), y, COLORS.read));
    if (isWritten) parts.push(dot(columnCenter(column) + (isRead ? 5 : 0), y, COLORS.write));
  }
  return `<g>${parts.join('')}</g>`;
}

function dot(x: number, y: number, color: string): string {
  return `<circle cx="${x}" cy="${y + ROW_HEIGHT / 2}" r="4" fill="${color}"/>`;
}

function text(x: number, y: number, value: string, anchor = 'start', weight = 'normal'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-weight="${weight}">${escapeXml(value)}</text>`;
}

function escapeXml(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
