import { MOST_STOPS } from '../../proxy/particles.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** Things off which the particles of a system bounce. */
export enum Collision {
  none,
  plane,
  /** Surfaces that the active camera saw in the last frame. */
  surfaces,
}

/** Bytes of a particle (`shaders/particles.wgsl`). */
export const PARTICLE_BYTES = 32;

/** A system of particles in one frame. Positions are relative to the system's anchor, in metres. */
export const GpuParticleSystem = /* @__PURE__ */ defineGpuStruct('ParticleSystem', {
  /** The first three rows of the source's matrix, and those of the frame before. */
  sourceNow: ['vec4f', 3],
  sourceBefore: ['vec4f', 3],
  velocity: 'vec3f',
  spread: 'f32',
  gravity: 'vec3f',
  drag: 'f32',
  /** Extents of the source along its axes. */
  source: 'vec3f',
  /** Index in `SOURCE_SHAPES`. */
  shape: 'u32',
  planeNormal: 'vec3f',
  planeDistance: 'f32',
  /** Movement of all particles in this frame, because the anchor has moved. */
  shift: 'vec3f',
  bounce: 'f32',
  /** From the anchor to the render origin. */
  toOrigin: 'vec3f',
  friction: 'f32',
  lifeLeast: 'f32',
  lifeMost: 'f32',
  intensity: 'f32',
  seed: 'u32',
  /** Scene time in ticks, modulo 2^32. */
  now: 'u32',
  /** Ticks since the frame before. */
  frameTicks: 'u32',
  /** Slot and number of the oldest particle that may live. */
  firstSlot: 'u32',
  firstBirth: 'u32',
  /** Number of particles that may live. */
  count: 'u32',
  /** Number of particles that were born in this frame. They are the newest of `count`. */
  newborn: 'u32',
  /** Number of particles that the simulation visits in this frame. They are the newest of `count`. */
  simulated: 'u32',
  /** Number of slots. */
  capacity: 'u32',
  colorCount: 'u32',
  sizeCount: 'u32',
  /** Metres in front of a surface over which particles fade. */
  softness: 'f32',
  /** Metres behind a surface within which particles return to it. */
  thickness: 'f32',
  /** Numbers of the projection of `clipFromAnchor`: see `KeptDepth`. */
  depthScale: 'f32',
  isOrthographic: 'u32',
  /** Matrix of the last frame, with which the depth was drawn that particles bounce off, and its inverse. */
  clipFromAnchor: 'mat4x4f',
  anchorFromClip: 'mat4x4f',
  /** Linear colours with alpha. */
  colors: ['vec4f', MOST_STOPS],
  /** x: share of the life at which the colour applies; y: share of the life at which the size applies; z: the size. */
  stops: ['vec4f', MOST_STOPS],
});
