/** Fences: everything recorded before a signal is done when it is executed; a wait may hold the list. */
import { handleKind, ResourceKind } from '../commands/handles.js';
import { stringAt } from '../commands/record-fields.js';
import { fenceValueAt } from '../host/fence-table.js';
import type { Handler } from './parts.js';

export const fenceHandlers = {
  createFence: ({ fences, resources }, { words, fields }) => {
    const handle = words[fields];
    if (handleKind(handle) !== ResourceKind.fence) throw fences.staleHandle(handle);
    fences.create(handle, fenceValueAt(words, fields + 1), stringAt(words, fields, 3), resources.frame);
  },
  signalFence: ({ fences }, { words, fields }) => {
    const value = fenceValueAt(words, fields + 1);
    fences.finishSignal(fences.beginSignal(words[fields], value), value);
  },
  waitFence: (parts, { words, fields }) => {
    const value = fenceValueAt(words, fields + 1);
    const { fence } = parts.fences.get(words[fields]);
    if (parts.host.isDisposing) return;
    if (!parts.isHeldWait) fence.waitQueued?.(value);
    parts.isHeldWait = false;
    if (fence.isReached(value)) {
      fence.waitUnblocked?.(value);
      return;
    }
    if (fence.error !== null) throw fence.error;
    parts.isHeldWait = true;
    parts.host.hold(fence.whenReached(value));
  },
} satisfies Record<string, Handler>;
