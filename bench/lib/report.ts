/** The JSON of a run, and its printed tables. Times are milliseconds, sizes bytes. */
export interface BenchResult {
  readonly id: string;
  readonly engine: string;
  readonly version: string;
  readonly [figure: string]: number | string | boolean | null;
}

export interface BenchTarget {
  readonly id: string;
  readonly description: string;
  /** The measured value in the unit of `target`; `null` when the run could not measure it. */
  readonly measured: number | null;
  readonly target: number;
  /** Whether the target is a lower limit. Default: an upper limit. */
  readonly isAtLeast?: boolean;
  readonly met: boolean | null;
}

export interface BenchReport {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly commit: string;
  readonly results: readonly BenchResult[];
  readonly targets: readonly BenchTarget[];
}

/** Returns a target that is met by a value of at most `target`. */
export function atMost(
  id: string,
  description: string,
  measured: number | undefined,
  target: number,
): BenchTarget {
  const known = measured !== undefined && Number.isFinite(measured);
  return {
    id,
    description,
    measured: known ? measured : null,
    target,
    met: known ? measured <= target : null,
  };
}

/** Returns a target that is met by a value of at least `target`. */
export function atLeast(
  id: string,
  description: string,
  measured: number | undefined,
  target: number,
): BenchTarget {
  const { met, ...known } = atMost(id, description, measured, target);
  return { ...known, isAtLeast: true, met: known.measured === null ? met : known.measured >= target };
}

/** Formats a table with two left-aligned columns and right-aligned figures. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

export function formatNumber(value: unknown): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2);
}

/** Like `formatNumber`, with four digits for ratios below 0.1. */
export function formatRatio(value: number): string {
  return Math.abs(value) < 0.1 ? value.toFixed(4) : formatNumber(value);
}
