import { LightList } from './light-store.js';

/** What all draws of a pass agree on is its *pass format*, of these bits. */
export enum PassFormat {
  /** Four samples per pixel instead of one. */
  multisampled = 1,
  /** Colours that tone mapping leaves alone have a target of their own. */
  unmappedTarget = 2,
  /** Bind group 0 has what light from all around needs. */
  environment = 4,
  /** Lights cast shadows, and bind group 0 has what that needs. */
  shadows = 8,
  /** Joints and morph targets may move vertices, and bind group 0 has what that needs. */
  deformers = 16,
  /** Lights with a range are found by the pixel's cluster, and bind group 0 has what that needs. */
  clusters = 32,
  /** Lit, opaque surfaces are written down first and lit afterwards. */
  deferred = 64,
  /** Not even one light without shadows shines: see `LightList`. */
  noLight = 128,
  /** More shine than one directional light. */
  manyLights = 256,
  /** More than one light casts shadows. */
  manyShadows = 512,
  /** Shadows of some lights are soft. */
  softShadows = 1024,
  /** Nothing comes from the environment now. */
  environmentOff = 2048,
  /** The first of the bits with the number of what makes colours those of displays (`DisplayColors`); 0: scene colour is linear light. */
  displayed = 4096,
}

/** Numbers of codes for colours of displays are below. */
export const DISPLAY_CODE_RANGE = 64;

export const DISPLAY_BITS = /* @__PURE__ */ (DISPLAY_CODE_RANGE - 1) * PassFormat.displayed;

/** @param format bits of `PassFormat` */
export const displayCodeOf = (format: number): number => format >>> 12;

/** Constants of the shader of meshes, by which the driver leaves out the code of lights that there are not. */
export function lightConstants(format: number): Record<string, number> {
  const constants: Record<string, number> = { lightList: LightList.sun };
  if (format & PassFormat.noLight) constants.lightList = LightList.none;
  if (format & PassFormat.manyLights) constants.lightList = LightList.any;
  if (format & PassFormat.shadows) {
    constants.hasManyShadows = format & PassFormat.manyShadows ? 1 : 0;
    constants.hasSoftShadows = format & PassFormat.softShadows ? 1 : 0;
  }
  return constants;
}
