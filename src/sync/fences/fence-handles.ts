/**
 * One thread's handles to fences. Handles to the same fence share one `LocalFence`. Closing the last handle closes the
 * fence on this thread.
 *
 *   handle ─┐
 *   handle ─┴─► LocalFence ─► cell: private │ in shared memory │ of this thread's replica
 *      └─► pending waits
 */
import { type FencepostError, OptionError, StateError } from '../../core/errors.js';
import { type FenceCell, FenceFlag, fenceValue, packedFenceCells } from './cells/fence-cell.js';
import type { PackedCells } from './cells/packed-cells.js';
import {
  badOption,
  checkCreation,
  checkDescriptor,
  type FenceOptions,
  fenceClosed,
  fenceGone,
} from './fence-options.js';
import type { FenceThread } from './fence-thread.js';
import type { FenceWait } from './fence-wait.js';
import { LocalFence } from './local-fence.js';
import { type FenceDescriptor, type FenceOwner, MonitoredFence } from './monitored-fence.js';

export class FenceHandles {
  readonly #core: FenceThread;
  readonly #group: string;
  readonly #owner: FenceOwner;
  /** Pending waits by handle. */
  readonly #handles = new Map<MonitoredFence, Set<FenceWait>>();
  readonly #privates: PackedCells<FenceCell>;

  /** @param owner receives the calls of the handles */
  constructor(core: FenceThread, group: string, owner: FenceOwner) {
    this.#core = core;
    this.#group = group;
    this.#owner = owner;
    this.#privates = packedFenceCells(core.memory.atomics);
  }

  create(name: string, options: FenceOptions): MonitoredFence {
    const core = this.#core;
    core.checkUsable();
    const { initial, flags } = this.#creation(name, options);
    if (options.isPrivate) {
      const cell = this.#privates.take();
      cell.create(initial, flags);
      return this.#handle(new LocalFence(name, -1, cell, 0, 0));
    }
    if (core.uplink) {
      throw new StateError(
        'fence-create-elsewhere',
        `The fence "${name}" can't be created at once on ${core.name}, which does not share the memory of the group. Await createShared(), or make it private.`,
      );
    }
    const index = core.createCell(name, initial, flags);
    if (index < 0) throw this.#full(name);
    const cell = core.cell(index);
    const local = new LocalFence(name, index, cell, core.thread, cell.generation);
    core.locals.set(index, local);
    return this.#handle(local);
  }

  async createShared(name: string, options: FenceOptions): Promise<MonitoredFence> {
    const core = this.#core;
    if (!core.uplink || options.isPrivate) return this.create(name, options);
    core.checkUsable();
    const { initial, flags } = this.#creation(name, options);
    const { index, generation } = await core.askToCreate(name, initial, flags);
    core.checkUsable();
    if (index < 0) throw this.#full(name);
    const cell = core.cell(index);
    cell.create(initial, flags);
    return this.#handle(this.#copyOf(name, index, generation));
  }

  open(descriptor: FenceDescriptor): MonitoredFence {
    const core = this.#core;
    core.checkUsable();
    checkDescriptor(descriptor);
    const { group, index, generation, name, flags, value } = descriptor;
    if (group !== this.#group) {
      throw new OptionError(
        'fence-of-another-group',
        `The fence "${name}" belongs to another group of fences. Open it on a thread that was invited to its group.`,
      );
    }
    const cell = core.cell(index);
    let local = core.locals.get(index);
    if (local && local.generation !== generation) throw fenceGone(name);
    if (local) return this.#handle(local);
    if (core.uplink) {
      if (!cell.isAlive) cell.create(value, flags);
      core.post({ kind: 'open', index, generation });
      local = this.#copyOf(name, index, generation);
      core.openCopy(local);
    } else {
      if (!cell.reference(generation)) throw fenceGone(name);
      local = new LocalFence(name, index, cell, core.thread, generation);
      core.locals.set(index, local);
    }
    return this.#handle(local);
  }

  describe(local: LocalFence): FenceDescriptor {
    const { name, index, flags, cell, generation } = local;
    if (index < 0) {
      throw new StateError(
        'fence-not-shareable',
        `The fence "${name}" is private to ${this.#core.name}. Create it without isPrivate to share it.`,
      );
    }
    if (local.isClosed) throw fenceClosed(name);
    return { group: this.#group, index, generation, name, flags, value: cell.current };
  }

  close(handle: MonitoredFence): void {
    const pending = this.#handles.get(handle);
    if (!pending) return;
    this.#handles.delete(handle);
    const { local } = handle;
    const error = fenceClosed(local.name);
    for (const wait of [...pending]) wait.end(error);
    if (--local.handles > 0) return;
    local.close(error);
    if (local.index < 0) {
      this.#privates.giveBack(local.cell);
      return;
    }
    this.#core.locals.delete(local.index);
    this.#core.closedHere.add(local.index);
    this.#core.post({ kind: 'close', index: local.index });
  }

  closeAll(): void {
    for (const handle of [...this.#handles.keys()]) this.close(handle);
  }

  /** Ends all waits with this error. */
  endWaits(error: FencepostError): void {
    for (const pending of this.#handles.values()) for (const wait of [...pending]) wait.end(error);
  }

  /** Returns the handle's pending waits. @throws StateError `fence-closed`; OptionError `fence-of-another-group` */
  pendingOf(fence: MonitoredFence): Set<FenceWait> {
    const pending = this.#handles.get(fence);
    if (pending) return pending;
    throw fence.owner === this.#owner
      ? fenceClosed(fence.name)
      : new OptionError(
          'fence-of-another-group',
          `The fence "${fence.name}" is a handle of another group or thread. Open it here and use that handle.`,
        );
  }

  /**
   * Creates the `LocalFence` of a fence that this thread uses by messages. The fence's cell in the replica must exist.
   */
  #copyOf(name: string, index: number, generation: number): LocalFence {
    const core = this.#core;
    const slot = core.thread;
    const local = new LocalFence(name, index, core.cell(index), slot, generation, (value) =>
      core.post({ kind: 'monitor', slot, index, value }),
    );
    core.locals.set(index, local);
    return local;
  }

  #creation(name: string, options: FenceOptions): { readonly initial: bigint; readonly flags: number } {
    checkCreation(name, options);
    const { isPrivate, isCrossDevice, isProgress, bits = 64, type = 'default' } = options;
    if (isCrossDevice && (isPrivate || type !== 'default')) {
      throw badOption(`The cross-device fence "${name}" must be of the default type and not private`);
    }
    const flags =
      (bits === 32 ? FenceFlag.is32Bit : 0) |
      (isCrossDevice ? FenceFlag.isCrossDevice : 0) |
      (type === 'intra-device' ? FenceFlag.isIntraDevice : 0) |
      (isProgress ? FenceFlag.isProgress : 0);
    return { initial: fenceValue(options.initialValue ?? 0, name), flags };
  }

  #full(name: string): StateError {
    return new StateError(
      'fence-memory-full',
      `There is no room for the fence "${name}": all ${this.#core.memory.capacity} places are in use. Close some fences, or create the group with a higher capacity.`,
    );
  }

  #handle(local: LocalFence): MonitoredFence {
    const handle = new MonitoredFence(local, this.#owner);
    local.handles++;
    this.#handles.set(handle, new Set());
    return handle;
  }
}
