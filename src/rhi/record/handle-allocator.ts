/**
 * Allocates handles in the format of `handles.ts`. Command bytes must not depend on the GPU's timing, so the frame
 * number alone decides when a freed slot is reused. A slot freed in frame N may be reused from frame
 * N + maxFramesInFlight + 2 on. The slot freed first is reused first.
 *
 *   frame         N        N+1      N+2      N+3      N+4       (maxFramesInFlight = 2)
 *   slot 7, gen 0 freed    waits    waits    waits    gen 1 may be allocated
 *
 * A slot whose generation would wrap around is retired, so that no stale handle names another resource by accident.
 * Retired slots are the last resort: they are reused once all 2^18 slots exist and no freed slot may be reused yet.
 */
import { RhiError } from '../../core/errors.js';
import { WaitingQueue } from '../../core/waiting-queue.js';
import {
  describeHandle,
  handleGeneration,
  handleIndex,
  handleKind,
  isForeign,
  KIND_NAMES,
  MAXIMUM_GENERATION,
  MAXIMUM_INDEX,
  makeHandle,
  type ResourceKind,
} from '../commands/handles.js';

/** A resource that was created and not destroyed. */
export interface Leak {
  /** Name of the kind, such as 'buffer' or 'texture'. */
  readonly kind: string;
  readonly label: string;
  readonly createdInFrame: number;
}

/** The slots of one kind of resource. */
class Slots {
  /** The current or last handle of each slot, by index. */
  readonly handles: number[] = [];
  readonly isLive: boolean[] = [];
  readonly labels: string[] = [];
  /** The frame in which each slot was allocated last. */
  readonly frames: number[] = [];
  /** Indices of freed slots, each with the first frame that may reuse it. */
  readonly freed = new WaitingQueue<number>();
  /** Indices of slots that have used their last generation. They are reused if no other slot is left. */
  readonly retired = new WaitingQueue<number>();
}

export class HandleAllocator {
  readonly #slotsByKind: Slots[] = KIND_NAMES.map(() => new Slots());
  readonly #framesUntilReuse: number;
  readonly #mark: number;
  /** Listener called with every allocated handle. */
  onAllocated: ((handle: number) => void) | undefined;
  liveCount = 0;
  /** Number of slots that are retired now, because their generation would wrap around. */
  retiredCount = 0;
  #frame = 0;

  /**
   * @param mark number added to every handle, so that a handle of another RHI is recognised (`handles.ts`); 0 adds
   *   nothing
   */
  constructor(maxFramesInFlight: number, mark = 0) {
    this.#mark = mark;
    this.#framesUntilReuse = maxFramesInFlight + 2;
  }

  /** Begins a frame. Frame numbers may skip, but never decrease. */
  beginFrame(frame: number): void {
    this.#frame = frame;
  }

  allocate(kind: ResourceKind, label: string): number {
    const slots = this.#slots(kind);
    let index = slots.freed.take(this.#frame);
    if (index === undefined && slots.handles.length > MAXIMUM_INDEX) {
      index = slots.retired.take(this.#frame);
      if (index === undefined) {
        throw new RhiError(
          'too-many-resources',
          `No handle is left for the ${KIND_NAMES[kind]} "${label}": all ${MAXIMUM_INDEX + 1} handles are in use or were freed in the last frames. Destroy resources, or wait a few frames.`,
        );
      }
      this.retiredCount--;
    }
    let generation = 0;
    if (index === undefined) index = slots.handles.length;
    else generation = (handleGeneration(slots.handles[index] ?? 0) + 1) & MAXIMUM_GENERATION;
    const handle = makeHandle(kind, generation, index);
    slots.handles[index] = handle;
    slots.isLive[index] = true;
    slots.labels[index] = label;
    slots.frames[index] = this.#frame;
    this.liveCount++;
    this.onAllocated?.(handle + this.#mark);
    return handle + this.#mark;
  }

  /**
   * Frees a handle.
   * @throws RhiError `stale-handle` if the handle was freed before or never allocated; `foreign-handle` if another
   *   RHI allocated it
   */
  free(handle: number): void {
    this.check(handle, 'be destroyed');
    const slots = this.#slots(handleKind(handle));
    const index = handleIndex(handle);
    slots.isLive[index] = false;
    this.liveCount--;
    const isLast = handleGeneration(handle) === MAXIMUM_GENERATION;
    if (isLast) this.retiredCount++;
    (isLast ? slots.retired : slots.freed).put(index, this.#frame + this.#framesUntilReuse);
  }

  /**
   * Returns the resources that were created and not destroyed (SYSTEMS L9). The executor's leak report has the same
   * resources, unless the device is lost. After a loss, the executor executes no more destroys.
   */
  leaks(): Leak[] {
    return this.#slotsByKind.flatMap(({ isLive, labels, frames }, kind) =>
      labels.flatMap((label, index) =>
        isLive[index]
          ? [{ kind: KIND_NAMES[kind] as string, label, createdInFrame: frames[index] as number }]
          : [],
      ),
    );
  }

  isLive(handle: number): boolean {
    const slots = this.#slotsByKind[handleKind(handle)];
    const index = handleIndex(handle);
    return slots !== undefined && slots.isLive[index] === true && this.#isLast(handle, slots.handles[index]);
  }

  /** Returns the label of the last resource in the handle's slot; empty for an unknown slot or a foreign handle. */
  label(handle: number): string {
    if (isForeign(handle, this.#mark)) return '';
    return this.#slotsByKind[handleKind(handle)]?.labels[handleIndex(handle)] ?? '';
  }

  /**
   * Checks that a handle is live and of this RHI.
   * @param use the rejected use, for the error: "be destroyed" in "The buffer … can't be destroyed"
   * @throws RhiError `stale-handle`, `foreign-handle`
   */
  check(handle: number, use: string): void {
    if (this.isLive(handle)) return;
    const last = this.#slotsByKind[handleKind(handle)]?.handles[handleIndex(handle)];
    const what = describeHandle(handle, last === undefined ? '' : this.label(handle));
    if (isForeign(handle, this.#mark)) {
      throw new RhiError(
        'foreign-handle',
        `The ${describeHandle(handle)} can't ${use}: it belongs to another RHI. Pass a handle that a create… call of this RHI has returned.`,
      );
    }
    if (last === undefined) {
      throw new RhiError(
        'stale-handle',
        `The ${what} can't ${use}: it was never created. Pass a handle that a create… call has returned.`,
      );
    }
    const why = this.#isLast(handle, last)
      ? 'it was destroyed before'
      : 'it was destroyed, and its slot was reused. The label shown is that of the later resource';
    throw new RhiError(
      'stale-handle',
      `The ${what} can't ${use}: ${why}. Keep no handle after destroying it.`,
    );
  }

  #isLast(handle: number, last: number | undefined): boolean {
    return handle >>> 0 === last && !isForeign(handle, this.#mark);
  }

  #slots(kind: number): Slots {
    const slots = this.#slotsByKind[kind];
    if (slots === undefined || kind === 0) {
      throw new RhiError('stale-handle', `${kind} is not a resource kind. Pass one of ResourceKind.`);
    }
    return slots;
  }
}
