/** Destroys. What creates resources is carried out by the table's rows: see `resources.ts`. */
import { handleKind, ResourceKind } from '../commands/handles.js';
import type { ExecutorParts, Handler } from './parts.js';

/** Nothing runs here, so what is destroyed with or without a promise is gone when its list is complete. */
const destroy: Handler = (parts, { words, fields }) => take(parts, words[fields]);

function take({ resources, fences, host }: ExecutorParts, handle: number): void {
  if (handleKind(handle) === ResourceKind.fence) {
    fences.take(handle)?.gpu.destroy();
    return;
  }
  const resource = resources.table(handleKind(handle)).take(handle);
  if (resource !== undefined) resources.releases.release(resource, host.submitted.value);
}

export const createHandlers = { destroyResource: destroy } satisfies Record<string, Handler>;
