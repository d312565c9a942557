/** Bits of the *pass format*, which all draws of a pass share. */
export enum PassFormat {
  /** Four samples per pixel instead of one. */
  multisampled = 1,
  /** Colours that tone mapping does not change have a target of their own. */
  unmappedTarget = 2,
  /** Bind group 0 contains the resources of the environment. */
  environment = 4,
  /** Lights cast shadows, and bind group 0 contains the resources of shadows. */
  shadows = 8,
  /** Joints and morph targets may move vertices, and bind group 0 contains their resources. */
  deformers = 16,
  /** Shaders find lights with a range by the pixel's cluster, and bind group 0 contains the clusters. */
  clusters = 32,
  /** Lit, opaque surfaces are first written to targets and lit afterwards. */
  deferred = 64,
  /** Shaders omit the code for a directional light without shadows: see `LightCode`. */
  noSun = 128,
  /** Lights without shadows exist besides the sun (`LightCode.loop`). */
  lightLoop = 256,
  /** More than one light casts shadows. */
  manyShadows = 512,
  /** Some lights have soft shadows. */
  softShadows = 1024,
  /** The environment gives no light now, and is not visible. */
  environmentOff = 2048,
  /** Spot lights exist. */
  spotLights = 4096,
  /** Ambient occlusion dims light from all around, and bind group 0 contains its texture. */
  ambientOcclusion = 8192,
  /** First bit of the number of a display colour (`DisplayColors`); 0: scene colour is linear light. */
  displayed = 16384,
  /** Blended surfaces are added up with weights, in targets of their own. */
  weighted = 131072,
  /** Fog lies in front of surfaces and background. */
  fog = 262144,
  /** Surfaces are drawn again with a decal as their colour, and bind group 0 contains the decal. */
  decal = 524288,
  /** First bit of the index in `DEBUG_VIEWS`; 0: the view shows the lit scene. */
  debugView = 1048576,
}

/** Exclusive upper limit of the numbers of display colours. */
export const DISPLAY_RANGE = 8;

export const DISPLAY_BITS = /* @__PURE__ */ (DISPLAY_RANGE - 1) * PassFormat.displayed;

/** Exclusive upper limit of the indices in `DEBUG_VIEWS`. */
export const DEBUG_VIEW_RANGE = 16;

/** Returns the number of the display colour. @param format bits of `PassFormat` */
export const displayNumberOf = (format: number): number => (format & DISPLAY_BITS) / PassFormat.displayed;

/** Returns the index in `DEBUG_VIEWS`; 0: the view shows the lit scene. @param format bits of `PassFormat` */
export const debugViewOf = (format: number): number => Math.floor(format / PassFormat.debugView);

/**
 * Returns constants of the mesh shader. The driver uses them to remove code for kinds of lights that do not
 * exist.
 */
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

const SHADOW_BITS = PassFormat.shadows | PassFormat.manyShadows | PassFormat.softShadows;

/** Returns the format of a view without shadows. Lights that cast shadows in other views have none there. */
export function withoutShadows(format: number): number {
  if (!(format & PassFormat.shadows)) return format;
  return (format & ~SHADOW_BITS & ~PassFormat.noSun) | PassFormat.lightLoop;
}
