/** The fields of the commands for shadow catchers and decals, for `command-table.ts`. */
import type { RecordFields } from '../core/records/record-table.js';

export const groundCommands = {
  /**
   * Creates or changes a shadow catcher: a ground that shows only shadow. It lies in the plane of its node's X and Z
   * axes.
   * - `width`, `depth`: metres along X and Z, before the node's scale
   * - `height`: metres above the ground up to which things cast shadow
   * - `softness`: metres of the band around the outline of a thing in which its shadow fades out
   * - `opacity`: share of the light that full shadow takes away
   * - `layers`: one bit per layer of the ground; 0: no view shows it
   */
  setShadowCatcher: {
    catcher: 'u32',
    node: 'u32',
    width: 'f32',
    depth: 'f32',
    height: 'f32',
    softness: 'f32',
    opacity: 'f32',
    layers: 'u32',
  },
  destroyShadowCatcher: { catcher: 'u32' },
  /**
   * Creates or changes a decal: a picture that is projected onto the surfaces in a box.
   * - `material`: a material with the picture as the texture of its base colour, and with the normal map
   * - `isTilted`: 1 if the decal has a normal map
   * - `layers`: one bit per layer of the decal; 0: no view shows it
   * - `renderOrder`: decals with larger numbers cover decals with smaller ones
   * - `width`, `height`, `depth`: metres along the node's X, Y and Z axes, before its scale
   * - `red`, `green`, `blue`: linear colour that multiplies the picture
   * - `opacity`: factor on the picture's alpha
   */
  setDecal: {
    decal: 'u32',
    node: 'u32',
    material: 'u32',
    isTilted: 'u32',
    layers: 'u32',
    renderOrder: 'i32',
    width: 'f32',
    height: 'f32',
    depth: 'f32',
    red: 'f32',
    green: 'f32',
    blue: 'f32',
    opacity: 'f32',
  },
  destroyDecal: { decal: 'u32' },
} as const satisfies Readonly<Record<string, RecordFields>>;
