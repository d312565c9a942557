import type { LoadSource } from './asset-source.js';

/** Returns the default name of a level or environment: its URL, the names of its files, or `bytes`. */
export function nameOfSource(source: LoadSource | null): string {
  if (Array.isArray(source)) return source.map(nameOfSource).join(', ');
  const isBytes = source instanceof ArrayBuffer || ArrayBuffer.isView(source);
  return (source as { name?: string } | null)?.name ?? (isBytes ? 'bytes' : String(source));
}
