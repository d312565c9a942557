/**
 * What the validation layer knows about each resource: who it is, whether it lives, and what lists may do with it. A
 * model stays in its slot when the resource is destroyed, so that messages can still name it.
 *
 *   slot 3   created ─► alive ─► destroyed (named, not usable) ─► the next resource of the slot
 *                 └──► failed: a check refused it; what uses it is dropped in silence, because that was said
 */
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { describeHandle, handleIndex, handleKind, KIND_NAMES, ResourceKind } from '../commands/handles.js';

/** A buffer or texture that a bind group names. */
export interface Reference {
  readonly model: Model;
  /** The use that its layout makes of it: a bit of `BufferUsage` or `TextureUsage`. */
  readonly usage: number;
  /** Of buffers, in bytes. */
  readonly byteOffset: number;
  readonly byteLength: number;
  /** `setBindGroup` adds an offset. */
  readonly isDynamic: boolean;
}

const NO_COMMANDS: Uint32Array = new Uint32Array(0);

/** One class for all kinds, because a second one makes V8 leave its fast path per draw. */
export class Model {
  isAlive = true;
  isFailed = false;
  /** The list that named it last; -1: none. */
  usedInList = -1;
  /** Of buffers and textures: bits of `BufferUsage` or `TextureUsage`. */
  usage = 0;
  /** Uses (usage bits) that the last `transition` declared; 0: none was. */
  declared = 0;

  // Buffers.
  byteLength = 0;
  /** Of a dynamic page (L5), by word: one more than the list that wrote it last. */
  writtenInList: Int32Array | null = null;
  /** A texture that the drawing viewport has, or had. */
  isViewport = false;
  /** Of a bind group layout, by rising binding number. */
  entries: readonly GPUBindGroupLayoutEntry[] = [];

  // Bind groups.
  /** By rising binding number. */
  references: readonly Reference[] = [];
  /** It binds a dynamic page, whose data lives for one frame. */
  hasDynamicData = false;
  /** The count of destroys when all it names was last found alive. */
  aliveAt = -1;
  /** The count of transitions when all it names was last found declared. */
  declaredAt = -1;

  /** Of a pipeline: bits of what its draws need set (`draws.ts`). */
  needs = 0;

  // Draw bundles.
  commands = NO_COMMANDS;
  draws = 0;

  /** Of a fence: the largest value that was signalled. */
  value: number | bigint = 0;

  constructor(
    readonly handle: number,
    readonly label: string,
  ) {}
}

/** `buffer "vertices" (buffer 3.0)`. */
export const nameOf = (model: Model): string => describeHandle(model.handle, model.label);

/** Usage bits of a buffer or texture in words: `copySource | index`. */
export function usageNames(model: Model, bits: number): string {
  const isBuffer = handleKind(model.handle) === ResourceKind.buffer;
  const names = Object.entries(isBuffer ? BufferUsage : TextureUsage);
  const named = names.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  return named.join(' | ') || 'nothing';
}

export class Models {
  /** By `ResourceKind`, and by the slot of the handle. */
  readonly slots: readonly (Model | undefined)[][] = KIND_NAMES.map(() => []);
  /** Resources destroyed so far: a bind group is looked through again only when this has changed. */
  destroyCount = 0;
  /** Transitions so far; 0 means that nobody declares any. */
  transitionCount = 0;

  /** Per draw: alive, though perhaps failed. */
  find(handle: number): Model | undefined {
    const model = this.last(handle);
    return model !== undefined && model.handle === handle && model.isAlive ? model : undefined;
  }

  /** What is or was last in the handle's slot. */
  last(handle: number): Model | undefined {
    return this.slots[handleKind(handle)]?.[handleIndex(handle)];
  }

  add(handle: number, label: string): Model {
    const kind = handleKind(handle);
    const model = new Model(handle, label);
    const slots = this.slots[kind];
    if (slots !== undefined) slots[handleIndex(handle)] = model;
    return model;
  }
}
