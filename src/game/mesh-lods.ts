import { OptionError } from '../core/errors.js';
import { NO_ID, RenderOpcode } from '../proxy/commands.js';
import { checkNumber, checkOptions } from './options.js';
import type { SceneUpdates } from './scene-updates.js';
import { Geometry } from './updatable-geometry.js';

/** What a mesh is drawn from while it is at least so large. */
export interface MeshLod {
  readonly geometry: Geometry;
  /**
   * From which size on: the diameter of the sphere around the mesh as a share of the view's height. Smaller than the last one, it is
   * not drawn: 0 draws it always.
   */
  readonly screenSize: number;
}

/** The geometries of a mesh, from the largest size to the smallest; which one is drawn is decided on the render thread. */
export class MeshLods {
  readonly all: readonly MeshLod[];
  readonly first: Geometry;
  /** Those that the world's registry has counted. */
  #counted: readonly Geometry[] = [];
  #ids: readonly number[] = [];

  /** @throws OptionError */
  constructor(call: string, lods: readonly MeshLod[]) {
    if (!Array.isArray(lods) || lods.length === 0) {
      throw new OptionError(
        'option-invalid',
        `lods of ${call} has to be a list of { geometry, screenSize }.`,
      );
    }
    let most = Infinity;
    this.all = lods.map((lod) => {
      checkOptions(`lods of ${call}`, lod, 'geometry screenSize');
      if (!(lod.geometry instanceof Geometry)) {
        throw new OptionError(
          'option-invalid',
          `Each of lods of ${call} needs a geometry, such as boxGeometry().`,
        );
      }
      most = checkNumber(`lods of ${call}`, 'screenSize (from large to small)', lod.screenSize, 0, most);
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
    words[at] = primitive;
    words[at + 1] = words[at + 2 + count] = count;
    words.set(this.#ids, at + 2);
    words[at + 3 + count * 2] = NO_ID;
    words[at + 4 + count * 2] = 0;
    for (const [index, { screenSize }] of this.all.entries()) floats[at + 3 + count + index] = screenSize;
  }

  release({ resources }: SceneUpdates): void {
    for (const geometry of this.#counted) resources.release(geometry);
    this.#counted = [];
  }
}
