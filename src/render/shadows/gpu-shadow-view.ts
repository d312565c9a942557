import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** One shadow map as the mesh shader reads it. */
export const GpuShadowView = /* @__PURE__ */ defineGpuStruct('ShadowView', {
  /** To texture coordinates of the atlas and depth (1 near, 0 far), to be divided by w. */
  mapFromWorld: 'mat4x4f',
  /** Texture coordinates that lie in the map with everything the filter reaches: least u and v, largest u and v. */
  inside: 'vec4f',
  /** Metres across a texel where w is 1. */
  texelSize: 'f32',
  /** Directional: metres per unit of depth. */
  depthRange: 'f32',
  /** Spot and point: metres to the near plane; 0 for a directional light. */
  near: 'f32',
  /** See `setShadow`; directional: as a tangent. */
  softness: 'f32',
});
