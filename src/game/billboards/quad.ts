import { BILLBOARD_FLOATS, type SizeUnits } from './billboard-component.js';
import { writeColor } from './numbers.js';

type Rectangle = readonly [left: number, bottom: number, right: number, top: number];

/**
 * Contents of a quad: `texture` (default), `ink` or `colors`. `ink` is text: white, with its coverage as alpha.
 * `colors` shows the texture in its own colours, and takes only alpha from the material. The order matches
 * `shaders/mesh-billboards.wgsl`.
 */
type QuadContents = (typeof CONTENTS)[number];
const CONTENTS = ['texture', 'ink', 'colors'] as const;

interface BillboardQuad {
  /** List that holds the anchor, as three numbers from index `at`. */
  readonly positions: ArrayLike<number>;
  readonly at: number;
  readonly units: SizeUnits;
  /** Default `texture`: the texture, multiplied by the colours of material and vertices. */
  readonly shows?: QuadContents;
  /** Rectangle around the anchor; up is positive. */
  readonly rectangle: Rectangle;
  /** Rectangle in the texture; down is positive. Default: the whole texture. */
  readonly uvs?: Rectangle;
  readonly colors?: ArrayLike<number> | null;
  readonly colorIndex?: number;
  readonly colorCount?: number;
}

const WHOLE: Rectangle = [0, 1, 1, 0];

/** Writes the four vertices of a quad: bottom left, bottom right, top left, top right. */
export function writeQuad(floats: Float32Array, quad: number, billboard: BillboardQuad): void {
  const { positions, at, units, rectangle, uvs = WHOLE, shows = 'texture' } = billboard;
  const { colors = null, colorIndex = 0, colorCount = 1 } = billboard;
  for (let corner = 0; corner < 4; corner++) {
    const to = (quad * 4 + corner) * BILLBOARD_FLOATS;
    const x = (corner & 1) * 2;
    const y = corner & 2 ? 3 : 1;
    floats.fill(0, to, to + BILLBOARD_FLOATS);
    for (let axis = 0; axis < 3; axis++) floats[to + axis] = positions[at + axis] as number;
    floats[to + 6] = uvs[x] as number;
    floats[to + 7] = uvs[y] as number;
    floats[to + 11] = (units === 'pixels' ? 1 : 0) + 2 * CONTENTS.indexOf(shows);
    floats[to + 12] = rectangle[x] as number;
    floats[to + 13] = rectangle[y] as number;
    writeColor(floats, to + 14, colors, colorIndex, colorCount);
  }
}
