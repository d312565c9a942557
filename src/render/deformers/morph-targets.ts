import type { StreamReader } from '../../core/streams/stream.js';
import { Suballocator } from '../../rhi/memory/suballocator.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import type { GeometryStore } from '../geometry/geometry-store.js';

/** Words that the buffer of deltas hands out at a time. */
export const DELTA_SLOT = 64;
/** Slots of a buffer: more than a device binds. */
export const MOST_SLOTS = 2 ** 26;
/** Floats of a box. */
export const BOX = 6;

interface Targets {
  /** Per target: the least and the most that it moves a vertex by. */
  readonly boxes: Float32Array;
  /** Floats per vertex and target. */
  readonly size: number;
  readonly vertexCount: number;
  /** First slot of its deltas. */
  readonly first: number;
}

const byGeometries = /* @__PURE__ */ new WeakMap<GeometryStore, MorphTargets>();

/** The morph targets of a store's geometries: all worlds that share the store share them. */
export function morphTargetsOf(geometries: GeometryStore): MorphTargets {
  const targets = byGeometries.get(geometries) ?? new MorphTargets(geometries);
  byGeometries.set(geometries, targets);
  return targets;
}

/** The morph targets of geometries. */
export class MorphTargets {
  /** Worlds. */
  users = 0;
  readonly deltas = new StorageBuffer('morph deltas', DELTA_SLOT);
  readonly #of = new Map<number, Targets>();
  readonly #ranges = new Suballocator(MOST_SLOTS);
  readonly #geometries: Pick<GeometryStore, 'vertexCount'>;

  constructor(geometries: Pick<GeometryStore, 'vertexCount'>) {
    this.#geometries = geometries;
    this.deltas.reserve(1);
  }

  get(geometry: number): Targets | undefined {
    return this.#of.get(geometry);
  }

  /** Executes the reader's current record, `setMorphTargets`. */
  set(reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const data = new Float32Array(reader.attachment(words[at] as number) as ArrayBuffer);
    const geometry = words[at + 1] as number;
    this.destroy(geometry);
    const slots = Math.max(Math.ceil(data.length / DELTA_SLOT), 1);
    const first = this.#ranges.allocate(slots) ?? 0;
    this.deltas.reserve(first + slots);
    this.deltas.floats.set(data, first * DELTA_SLOT);
    for (let slot = first; slot < first + slots; slot++) this.deltas.dirty.mark(slot);
    this.#of.set(geometry, {
      boxes: floats.slice(at + 4, at + 4 + (words[at + 3] as number)),
      size: words[at + 2] as number,
      vertexCount: this.#geometries.vertexCount[geometry] as number,
      first,
    });
  }

  /** The geometry is another one, or gone. */
  destroy(geometry: number): void {
    const targets = this.#of.get(geometry);
    if (!targets) return;
    this.#of.delete(geometry);
    this.#ranges.free(targets.first);
  }

  /** A world is gone. */
  leave(rhi: ImmediateContext): void {
    if (--this.users === 0) this.deltas.dispose(rhi);
  }
}
