import type { LoadSource } from './asset-source.js';

/** What a level is called by default: its URL, or its files. */
export function nameOfSource(source: LoadSource | null): string {
  if (Array.isArray(source)) return source.map(nameOfSource).join(', ');
  return (
    (source as { name?: string } | null)?.name ?? (source instanceof ArrayBuffer ? 'bytes' : String(source))
  );
}
