/**
 * The scenes of B16, which each engine implements: a grid of spheres with one feature of materials, and the island with
 * one effect. All are lit by the same environment. Units are metres and radians. The axes are right-handed, with Y up.
 */

/** Materials of the grid. `plain` has no feature. */
export const MATERIALS = [
  'plain',
  'clearcoat',
  'sheen',
  'iridescence',
  'anisotropy',
  'specular',
  'transmission',
  'dispersion',
] as const;
/** Effects on the island. `no effect` is drawn with 4× MSAA, like all but those that smooth edges themselves. */
export const EFFECTS = [
  'no effect',
  'bloom',
  'ambient occlusion',
  'fog',
  'depth of field',
  'outline',
  'chromatic aberration',
  'grain',
  'fxaa',
  'smaa',
  'taa',
  'bloom, ambient occlusion, taa, fog',
] as const;

export type MaterialLook = (typeof MATERIALS)[number];
export type EffectLook = (typeof EFFECTS)[number];
export type Look = MaterialLook | EffectLook;

export const isMaterial = (look: Look): look is MaterialLook => MATERIALS.includes(look as MaterialLook);

export interface LookScene {
  readonly name: string;
  readonly version: string;
  /** Opens the engine on the canvas, loads the model and the environment, and creates the spheres. */
  start(canvas: HTMLCanvasElement, modelUrl: string, environmentUrl: string): Promise<void>;
  /** Shows a look. Resolves when its shaders have been compiled. */
  show(look: Look): Promise<void>;
  /** Draws a frame. Resolves when the GPU has completed the frame. */
  draw(): Promise<void>;
}

export const ISLAND_CAMERA = { position: [4.2, 2.4, 5], target: [0, 0.3, 0] } as const;
/** The spheres are far above the island, so that a camera sees only one of them. */
export const GRID_CAMERA = { position: [0, 100, 6], target: [0, 100, 0] } as const;
export const LENS = { fovY: 0.7, near: 0.1, far: 60 } as const;

export const GRID = { columns: 7, rows: 4, spacing: 1, radius: 0.45, segments: 32 } as const;

/** Places of the spheres, with a roughness from 0.1 to 1 by column and a metalness of 0 or 1 by row. */
export function* spheres(): Generator<{
  position: [number, number, number];
  roughness: number;
  metalness: number;
}> {
  const { columns, rows, spacing } = GRID;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = (column - (columns - 1) / 2) * spacing;
      const y = GRID_CAMERA.target[1] + (row - (rows - 1) / 2) * spacing;
      yield { position: [x, y, 0], roughness: 0.1 + (0.9 * column) / (columns - 1), metalness: row % 2 };
    }
  }
}
