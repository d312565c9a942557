/** The *pass format*, on which all draws of a pass agree, of these bits. */
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
  /** Shaders have no code for a directional light without shadows: see `LightCode`. */
  noSun = 128,
  /** Other lights without shadows shine. */
  lightLoop = 256,
  /** More than one light casts shadows. */
  manyShadows = 512,
  /** Shadows of some lights are soft. */
  softShadows = 1024,
  /** Nothing comes from the environment now. */
  environmentOff = 2048,
  /** Spot lights shine. */
  spotLights = 4096,
  /** The first of the bits with the number of what makes colours those of displays (`DisplayColors`); 0: scene colour is linear light. */
  displayed = 8192,
}

/** Numbers of codes for colours of displays are below. */
const DISPLAY_CODE_RANGE = 64;

export const DISPLAY_BITS = /* @__PURE__ */ (DISPLAY_CODE_RANGE - 1) * PassFormat.displayed;

/** @param format bits of `PassFormat` */
export const displayCodeOf = (format: number): number => Math.floor(format / PassFormat.displayed);

/** Constants of the shader of meshes, by which the driver leaves out the code of lights that there are not. */
export function lightConstants(format: number): Record<string, number> {
  const constants: Record<string, number> = {
    hasSun: format & PassFormat.noSun ? 0 : 1,
    hasLightLoop: format & PassFormat.lightLoop ? 1 : 0,
    hasSpotLights: format & PassFormat.spotLights ? 1 : 0,
  };
  if (format & PassFormat.shadows) {
    constants.hasManyShadows = format & PassFormat.manyShadows ? 1 : 0;
    constants.hasSoftShadows = format & PassFormat.softShadows ? 1 : 0;
  }
  return constants;
}
