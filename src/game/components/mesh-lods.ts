import { OptionError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything } from '../../core/options/members.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { Geometry } from '../geometry/updatable-geometry.js';
import type { SceneUpdates } from '../updates/scene-updates.js';

const LOD = {
  geometry: anything<Geometry>(),
  /**
   * Minimum size on screen: diameter of the mesh's bounding sphere as a fraction of the view's height. Below the
   * size of the last level nothing is drawn. A last level with size 0 is always drawn.
   */
  screenSize: anything<number>(),
};

/** A geometry of a mesh and its minimum size on screen. */
export type MeshLod = Shaped<typeof LOD>;

/**
 * The geometries of a mesh, from the largest size to the smallest. The render thread decides which one is
 * drawn.
 */
export class MeshLods {
  readonly all: readonly MeshLod[];
  readonly first: Geometry;
  /** Geometries that were counted as used in the engine's registry. */
  #usedGeometries: readonly Geometry[] = [];
  #ids: readonly number[] = [];

  /** @throws OptionError */
  constructor(call: string, lods: readonly MeshLod[]) {
    const what = `lods of ${call}`;
    if (!Array.isArray(lods) || lods.length === 0) {
      throw new OptionError('option-invalid', `${what} has to be [{ geometry, screenSize }].`);
    }
    let maximum = Infinity;
    this.all = lods.map((lod) => {
      checkOptions(what, lod, LOD);
      checkGeometry(lod.geometry);
      maximum = checkNumber(what, 'screenSize (from large to small)', lod.screenSize, 0, maximum);
      return Object.freeze({ ...lod });
    });
    this.first = (lods[0] as MeshLod).geometry;
  }

  /** Counts the new geometries as used, then releases the old ones. Called before the primitives are sent. */
  use({ resources }: SceneUpdates, userName: string): void {
    const before = this.#usedGeometries;
    this.#usedGeometries = [];
    this.#ids = this.all.map(({ geometry }) => {
      const id = resources.useGeometry(geometry, userName);
      this.#usedGeometries = [...this.#usedGeometries, geometry];
      return id;
    });
    for (const geometry of before) resources.release(geometry);
  }

  /** Sends the levels, after the primitive's own record. */
  send({ writer }: SceneUpdates, primitive: number): void {
    const count = this.all.length;
    const at = writer.reserve(RenderOpcode.setLods, 5 + count * 2);
    const { words, floats } = writer;
    words.set([primitive, count, ...this.#ids, count], at);
    const sizes = this.all.map(({ screenSize }) => screenSize);
    floats.set(sizes, at + 3 + count);
    words.set([NO_ID, 0], at + 3 + count * 2);
  }

  release({ resources }: SceneUpdates): void {
    for (const geometry of this.#usedGeometries) resources.release(geometry);
    this.#usedGeometries = [];
  }
}

/** @throws OptionError */
export function checkGeometry(geometry: Geometry | undefined): Geometry {
  if (geometry instanceof Geometry) return geometry;
  throw new OptionError('option-invalid', 'A mesh needs a geometry, such as boxGeometry().');
}
