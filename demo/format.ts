/** Formats figures for people. */

export function formatMilliseconds(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(value < 1 ? 2 : 1) : Math.round(value)} ms`;
}

export function formatBytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value < 1000) return `${value} B`;
  return value < 1e6 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}
