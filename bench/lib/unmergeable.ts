/**
 * The scene of B2: objects that no renderer can merge, because each has a geometry range and a material of its own.
 * Every frame all of them move: one write of all transforms. Which of them are drawn either stays the same or is
 * another set each frame.
 *
 *   per draw:  material's bind group · range of the vertex buffer · drawIndexed(range of the index buffer)
 */

/** Draws per frame. */
export const DRAW_COUNT = 5000;
/** One in six is hidden, each frame others. */
export const OBJECT_COUNT = 6000;
/** Records or calls per draw. */
export const COMMANDS_PER_DRAW = 3;
/** Bytes; a triangle of 3 positions. */
export const GEOMETRY_STRIDE = 36;
/** Bytes; WebGPU's minUniformBufferOffsetAlignment. */
export const MATERIAL_STRIDE = 256;
export const MATERIAL_BYTES = 16;
export const TRANSFORM_FLOATS = 16;
/** Pixels. */
export const TARGET_SIZE = 32;
export const TARGET_FORMAT = 'rgba8unorm';

export const SHADER = /* wgsl */ `
@group(0) @binding(0) var<storage, read> transforms: array<mat4x4f>;
@group(1) @binding(0) var<uniform> color: vec4f;
@vertex fn vertexMain(@builtin(instance_index) object: u32, @location(0) position: vec3f) -> @builtin(position) vec4f {
  return transforms[object] * vec4f(position, 1.0);
}
@fragment fn fragmentMain() -> @location(0) vec4f { return color; }`;

export const VERTEX_LAYOUT = {
  arrayStride: 12,
  attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }],
} as const;

export function geometryData(): Float32Array<ArrayBuffer> {
  const data = new Float32Array((OBJECT_COUNT * GEOMETRY_STRIDE) / 4);
  for (let i = 0; i < OBJECT_COUNT; i++) {
    const size = 0.02 + (i % 7) * 0.002;
    data.set([-size, -size, 0, size, -size, 0, 0, size, 0], i * 9);
  }
  return data;
}

/** Three indices per object, counted within its range of the vertices. */
export function indexData(): Uint32Array<ArrayBuffer> {
  return new Uint32Array(OBJECT_COUNT * 3).map((_, i) => i % 3);
}

export function materialData(): Float32Array<ArrayBuffer> {
  const data = new Float32Array((OBJECT_COUNT * MATERIAL_STRIDE) / 4);
  for (let i = 0; i < OBJECT_COUNT; i++) {
    data.set([(i % 10) / 10, (i % 100) / 100, (i % 1000) / 1000, 1], (i * MATERIAL_STRIDE) / 4);
  }
  return data;
}

/**
 * Per frame, not measured: the program's own arithmetic, written to wherever the loop wants it.
 * @param at index in `target` of the transform of object `first`
 */
export function moveObjects(
  frame: number,
  first: number,
  count: number,
  target: Float32Array,
  at: number,
): void {
  target.fill(0, at, at + count * TRANSFORM_FLOATS);
  for (let i = first; i < first + count; i++, at += TRANSFORM_FLOATS) {
    const angle = i * 0.37 + frame * 0.02;
    target[at] = target[at + 5] = target[at + 10] = target[at + 15] = 1;
    target[at + 12] = Math.cos(angle) * (0.1 + (i % 80) / 100);
    target[at + 13] = Math.sin(angle) * (0.1 + (i % 80) / 100);
  }
}

/** Writes the objects drawn in a frame; when they change, a sixth of them is hidden that was not hidden before. */
export function chooseVisible(visible: Uint32Array, frame: number, isChanging: boolean): void {
  const hidden = isChanging ? frame % 6 : 0;
  let count = 0;
  for (let i = 0; i < OBJECT_COUNT && count < DRAW_COUNT; i++) if (i % 6 !== hidden) visible[count++] = i;
}

/** One way of drawing it. Times are milliseconds of the worker's thread. */
export interface DrawLoop {
  readonly name: string;
  /** Moves everything, which is not measured, draws a frame and gives it to the GPU. */
  frame(visible: Uint32Array, frame: number): FrameTimes;
  /** The target's pixels, RGBA. */
  pixels(): Promise<Uint8Array>;
  readonly errors: readonly string[];
}

export interface FrameTimes {
  /** The pass and its draws, until they are recorded; 0 where nothing is. */
  readonly recordMs: number;
  /** From there: each told to WebGPU, until the list is complete. */
  readonly translateMs: number;
  /** All of the frame: with the upload of the transforms and the list's submission. */
  readonly totalMs: number;
  /** Bytes of the draws' records. */
  readonly drawBytes: number;
}
