import type { StreamReader } from '../../core/streams/stream.js';
import { Suballocator } from '../../rhi/memory/suballocator.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import type { GeometryStore } from '../geometry/geometry-store.js';

/** Words of a slot, the unit in which the buffer of deltas is allocated. */
export const DELTA_SLOT = 64;
/** Maximum number of slots in a buffer: more than a device can bind. */
export const MOST_SLOTS = 2 ** 26;
/** Floats of a box. */
export const BOX = 6;

interface Targets {
  /** Smallest and largest move of a vertex along each axis, for each target. */
  readonly boxes: Float32Array;
  /** Floats per vertex and target. */
  readonly size: number;
  readonly vertexCount: number;
  /** First slot of the deltas. */
  readonly first: number;
}

const byGeometries = /* @__PURE__ */ new WeakMap<GeometryStore, MorphTargets>();

/** Returns the morph targets of a store's geometries. All worlds that share the store share these targets. */
export function morphTargetsOf(geometries: GeometryStore): MorphTargets {
  const targets = byGeometries.get(geometries) ?? new MorphTargets(geometries);
  byGeometries.set(geometries, targets);
  return targets;
}

/** The morph targets of geometries. */
export class MorphTargets {
  /** Number of worlds that use these targets. */
  users = 0;
  readonly deltas = new StorageBuffer('morph deltas', DELTA_SLOT);
  readonly #byGeometry = new Map<number, Targets>();
  readonly #ranges = new Suballocator(MOST_SLOTS);
  readonly #geometries: Pick<GeometryStore, 'vertexCount'>;

  constructor(geometries: Pick<GeometryStore, 'vertexCount'>) {
    this.#geometries = geometries;
    this.deltas.reserve(1);
  }

  get(geometry: number): Targets | undefined {
    return this.#byGeometry.get(geometry);
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
    this.#byGeometry.set(geometry, {
      boxes: floats.slice(at + 4, at + 4 + (words[at + 3] as number)),
      size: words[at + 2] as number,
      vertexCount: this.#geometries.vertexCount[geometry] as number,
      first,
    });
  }

  /** Frees the targets of a geometry that was replaced or destroyed. */
  destroy(geometry: number): void {
    const targets = this.#byGeometry.get(geometry);
    if (!targets) return;
    this.#byGeometry.delete(geometry);
    this.#ranges.free(targets.first);
  }

  /** Removes one user, when a world is destroyed. Removing the last user destroys the buffer. */
  leave(rhi: ImmediateContext): void {
    if (--this.users === 0) this.deltas.dispose(rhi);
  }
}
