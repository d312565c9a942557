import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** A shadow catcher, as its shaders read it. Positions are relative to the render origin, in metres. */
export const GpuShadowCatcher = /* @__PURE__ */ defineGpuStruct('ShadowCatcher', {
  /** Centre of the ground. */
  center: 'vec3f',
  /** Share of the light that full shadow takes away. */
  opacity: 'f32',
  /** Vector from the centre to the middle of an edge, along the ground's X axis. */
  alongX: 'vec3f',
  /** Factor from depth to the nearness to the ground: 1 on the ground, 0 at the height of the catcher. */
  depthScale: 'f32',
  /** Vector from the centre to the middle of an edge, along the ground's Z axis. */
  alongZ: 'vec3f',
  /** Texels that the blur reads to each side, along X and Z. */
  reach: 'vec2f',
  /** Inverse variance of the blur per square texel, along X and Z. */
  inverseVariance: 'vec2f',
  /** Half of the sides along X and Z, divided by the width of the band in which shadow fades out at the edges. */
  edges: 'vec2f',
});
