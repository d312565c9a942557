/**
 * The page of figures, `docs/figures.md`, and its data. A run with `--write` replaces the tables of the suites that it
 * measured. All other tables stay as they are, with the command, date and commit of their own run.
 *
 *   suites ──► outcomes ──tableOf──┐
 *                                  ├─ mergeTables ─► docs/figures.json ─ formatFigures ─► docs/figures.md
 *              docs/figures.json ──┘
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchResult, type BenchTarget, formatNumber, formatRatio } from './report.js';

/** Place and time of a measurement, as text. `not recorded` means that the value is unknown. */
export interface Circumstances {
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly browser: string;
  readonly adapter: string;
}

export interface FigureRow {
  readonly what: string;
  readonly target?: string;
  readonly measured: string;
  /** Missing for figures without a target, and for targets that the run could not measure. */
  readonly isMet?: boolean;
}

export interface FigureTable extends Circumstances {
  /** Identifier of the suite, such as `B1`. Each suite has one table. */
  readonly suite: string;
  readonly rows: readonly FigureRow[];
}

const DATA = 'docs/figures.json';
const PAGE = 'docs/figures.md';

/** Subjects of the tables, by suite. Some tables are measured by other commands than the bench. */
export const figureTitles: Readonly<Record<string, string>> = {
  B1: '10,000 moving boxes',
  B2: '6,000 meshes that cannot merge',
  B3: 'pictures while the page is blocked',
  B4: 'allocations per frame',
  B5: 'bytes of the hello cube by Vite',
  B6: 'first frame of the hello cube',
  B8: '100,000 meshes that stand still',
  B9: 'throughput of pipelined threads',
  B10: 'GPU work of a frame',
  B11: 'lights, casters and meshes by thread',
  B12: 'frame graph',
  B13: 'first frame under an environment',
  B14: '100 animated figures',
  B15: 'loading a compressed file of 16 MiB',
  B16: 'GPU work of materials and effects',
  BROWSERS: 'frames per second by browser',
  BROWSERS_BEFORE:
    'frames per second by browser, before the engine handled late reports of finished GPU work',
  CLIPS: 'sampling of clips',
  CROWD: 'thousands of boxes, moved by setters or by arrays',
  FENCES: 'from a signal to the wake-up',
  FIRST_PICTURE: 'page loads over a network',
  FUZZ: 'forged command lists and files',
  HARDWARE: 'reference pictures on a real GPU',
  LATENCY: 'from a change to its pixels',
  LISTS: 'recording of draws in lists',
  MEMORY: 'created and destroyed resources',
  ORACLE: 'beside the Khronos sample renderer',
  PARITY: 'pictures beside three.js',
  RECOVERY: 'recovery from lost devices and dead workers',
  SIZE: 'bytes of a page',
  SOAK: 'half an hour of everything at once',
  STREAM: 'a file of 102 MB into a running scene',
  TASKS: 'tasks on workers',
  TIMELINE: 'cost of the event rings',
  VALIDATION: 'cost of validation',
  VARIANCE: 'evenness of frames with and without the RHI thread',
};

/** Returns the table of a suite: its targets first, then one row per engine or mode with all of its figures. */
export function tableOf(
  suite: string,
  results: readonly BenchResult[],
  targets: readonly BenchTarget[],
  circumstances: Circumstances,
): FigureTable {
  return { suite, ...circumstances, rows: [...targets.map(rowOfTarget), ...results.map(rowOfResult)] };
}

function rowOfTarget({ id, description, measured, target, isAtLeast, met }: BenchTarget): FigureRow {
  return {
    what: `${id}: ${description}`,
    target: `${isAtLeast ? '≥' : '≤'} ${formatRatio(target)}`,
    measured: measured === null ? '–' : formatRatio(measured),
    ...(met === null ? {} : { isMet: met }),
  };
}

function rowOfResult({ id: _id, engine, version, ...figures }: BenchResult): FigureRow {
  const entries = Object.entries(figures);
  const texts = entries.flatMap(([, value]) => (typeof value === 'string' ? [value] : []));
  const numbers = entries.flatMap(([name, value]) =>
    typeof value === 'number' && Number.isFinite(value) ? [describe(name, value)] : [],
  );
  return {
    what: [[engine, version].filter(Boolean).join(' '), ...texts].join(', '),
    measured: numbers.join('; ') || '–',
  };
}

/** Units at the end of a figure's name, as in `gameMs`, and their written forms. */
const UNITS: Readonly<Record<string, string>> = {
  ms: 'ms',
  ns: 'ns',
  nanoseconds: 'ns',
  seconds: 's',
  bytes: 'bytes',
  mib: 'MiB',
};

/** Returns `main thread 1.25 ms` for `mainThreadMs`. */
function describe(name: string, value: number): string {
  const words = name
    .replace(/MiB$/, 'Mib')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');
  const unit = UNITS[words.at(-1) ?? ''];
  const label = unit ? words.slice(0, -1) : words;
  return [...label, formatNumber(value), unit].filter(Boolean).join(' ');
}

/** Returns all tables, sorted by suite (B2 before B10). A table in `measured` replaces the older one of its suite. */
export function mergeTables(
  tables: readonly FigureTable[],
  measured: readonly FigureTable[],
): readonly FigureTable[] {
  const bySuite = new Map([...tables, ...measured].map((table) => [table.suite, table]));
  return [...bySuite.values()].sort((a, b) => a.suite.localeCompare(b.suite, 'en', { numeric: true }));
}

/** Returns the page: a header with the circumstances of each table, then the tables. */
export function formatFigures(tables: readonly FigureTable[]): string {
  const header = tables.map((table) => {
    const { suite, date, commit, machine, browser, adapter } = table;
    const link = `[${suite}](#${suite.toLowerCase()})`;
    return [link, figureTitles[suite] ?? '', resultOf(table), date, commit, machine, browser, adapter];
  });
  const parts = [
    '# Figures',
    `Generated by \`npm run bench -- --write\` from \`${DATA}\`. Do not edit this page.`,
    formatMarkdown(
      ['suite', 'measures', 'targets met', 'date', 'commit', 'machine', 'browser', 'adapter'],
      header,
    ),
    ...tables.flatMap(({ suite, command, date, commit, machine, rows }) => [
      `## ${suite}`,
      `\`${command}\`\n${[date, commit, machine].join(' · ')}`,
      formatMarkdown(
        [figureTitles[suite] ?? '', 'target', 'measured', 'result'],
        rows.map(({ what, target, measured, isMet }) => [
          what,
          target ?? '',
          measured,
          isMet === undefined ? '' : isMet ? 'met' : 'missed',
        ]),
      ),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function resultOf({ rows }: FigureTable): string {
  const judged = rows.filter(({ isMet }) => isMet !== undefined);
  return judged.length === 0 ? '' : `${judged.filter(({ isMet }) => isMet).length} of ${judged.length}`;
}

function formatMarkdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Merges `measured` into the data of the project at `root`, and writes the data and the page. */
export async function writeFigures(root: string, measured: readonly FigureTable[]): Promise<void> {
  const tables: readonly FigureTable[] = JSON.parse(await readFile(join(root, DATA), 'utf8'));
  const merged = mergeTables(tables, measured);
  await writeFile(join(root, DATA), `${JSON.stringify(merged, null, 2)}\n`);
  await writeFile(join(root, PAGE), formatFigures(merged));
}
