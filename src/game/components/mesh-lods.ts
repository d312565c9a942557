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
   * From which size on: the diameter of the sphere around the mesh as a share of the view's height. Smaller than the last one, it is
   * not drawn: 0 draws it always.
   */
  screenSize: anything<number>(),
};

/** What a mesh is drawn from while it is at least so large. */
export type MeshLod = Shaped<typeof LOD>;

/** The geometries of a mesh, from the largest size to the smallest; which one is drawn is decided on the render thread. */
export class MeshLods {
  readonly all: readonly MeshLod[];
  readonly first: Geometry;
  /** Those that the world's registry has counted. */
  #counted: readonly Geometry[] = [];
  #ids: readonly number[] = [];

  /** @throws OptionError */
  constructor(call: string, lods: readonly MeshLod[]) {
    const what = `lods of ${call}`;
    if (!Array.isArray(lods) || lods.length === 0) {
      throw new OptionError('option-invalid', `${what} has to be [{ geometry, screenSize }].`);
    }
    let most = Infinity;
    this.all = lods.map((lod) => {
      checkOptions(what, lod, LOD);
      checkGeometry(lod.geometry);
      most = checkNumber(what, 'screenSize (from large to small)', lod.screenSize, 0, most);
      return Object.freeze({ ...lod });
    });
    this.first = (lods[0] as MeshLod).geometry;
  }

  /** Before the primitives are sent: counts in what they use, then out what they used. */
  use({ resources }: SceneUpdates, userName: string): void {
    const before = this.#counted;
    this.#counted = [];
    this.#ids = this.all.map(({ geometry }) => {
      const id = resources.useGeometry(geometry, userName);
      this.#counted = [...this.#counted, geometry];
      return id;
    });
    for (const geometry of before) resources.release(geometry);
  }

  /** Behind the record of a primitive. */
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
    for (const geometry of this.#counted) resources.release(geometry);
    this.#counted = [];
  }
}

/** @throws OptionError */
export function checkGeometry(geometry: Geometry | undefined): Geometry {
  if (geometry instanceof Geometry) return geometry;
  throw new OptionError('option-invalid', 'A mesh needs a geometry, such as boxGeometry().');
}
