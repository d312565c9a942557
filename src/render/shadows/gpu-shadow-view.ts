import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** One shadow map, as the mesh shader reads it. */
export const GpuShadowView = /* @__PURE__ */ defineGpuStruct('ShadowView', {
  /** Matrix to texture coordinates of the atlas and depth (1 near, 0 far), before the division by w. */
  mapFromWorld: 'mat4x4f',
  /** Texture coordinates at which the whole filter stays inside the map: least u and v, largest u and v. */
  inside: 'vec4f',
  /** Width of a texel in metres where w is 1. */
  texelSize: 'f32',
  /** For a directional light: metres per unit of depth. */
  depthRange: 'f32',
  /** For a spot or point light: metres to the near plane; 0 for a directional light. */
  near: 'f32',
  /** Softness, see `setShadow`. For a directional light, it is a tangent. */
  softness: 'f32',
});
