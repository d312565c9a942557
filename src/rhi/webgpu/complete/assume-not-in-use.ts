/**
 * A destroy with the promise that nothing pending uses the resource: its memory is freed now, not when the list has
 * completed (SYSTEMS M3). The destroy that follows finds nothing left to do. Answers false for other commands.
 */
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import { handleKind } from '../../commands/handles.js';
import type { ExecutorParts } from '../extension.js';

export function executeAssumption(
  { opcode, words, fields }: StreamReader,
  { resources }: ExecutorParts,
): boolean {
  if (opcode !== RhiOpcode.assumeNotInUse) return false;
  const handle = words[fields];
  const resource = resources.tables[handleKind(handle)]?.take(handle);
  if (resource === undefined) return true;
  resources.epoch++;
  // Only buffers, textures and query sets have memory of their own.
  (resource.gpu as { destroy?: () => void } | null)?.destroy?.();
  return true;
}
