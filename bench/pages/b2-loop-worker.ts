/**
 * B2 by hand: a minimal loop of WebGPU calls in a worker, as an expert would write it. Per frame it does the same work
 * as the engine's render worker. It takes the positions of moved meshes, culls by the camera's frustum, and draws each
 * visible mesh with its own material and geometry.
 *
 *   positions ─► matrices ─► writeBuffer      bounds × planes ─► visible ─► 3 calls a mesh ─► submit
 */
import {
  CANVAS_SIZE,
  type Case,
  colorOf,
  FOV_Y,
  MESH_COUNT,
  NEAR,
  positionOf,
  reachOf,
  trianglePositions,
  yawOf,
} from '../lib/unmergeable.js';

export interface LoopFrame {
  readonly milliseconds: number;
  readonly draws: number;
}

const MATRIX_FLOATS = 16;
/** WebGPU's minUniformBufferOffsetAlignment in bytes. */
const MATERIAL_STRIDE = 256;
const GEOMETRY_BYTES = 36;

const SHADER = /* wgsl */ `
@group(0) @binding(0) var<storage, read> matrices: array<mat4x4f>;
@group(0) @binding(1) var<uniform> clipFromWorld: mat4x4f;
@group(1) @binding(0) var<uniform> color: vec4f;
@vertex fn vertexMain(@builtin(instance_index) mesh: u32, @location(0) position: vec3f) -> @builtin(position) vec4f {
  return clipFromWorld * (matrices[mesh] * vec4f(position, 1.0));
}
@fragment fn fragmentMain() -> @location(0) vec4f { return color; }`;

const adapter = await navigator.gpu.requestAdapter();
const device = (await adapter?.requestDevice()) as GPUDevice;
const bufferWith = (usage: number, data: Float32Array | Uint32Array): GPUBuffer => {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data as Float32Array<ArrayBuffer>);
  return buffer;
};
const matrices = new Float32Array(MESH_COUNT * MATRIX_FLOATS);
const vertexData = new Float32Array(MESH_COUNT * 9);
const materialData = new Float32Array((MESH_COUNT * MATERIAL_STRIDE) / 4);
const clipFromWorld = new Float32Array(MATRIX_FLOATS);
/** Centre and radius per mesh, in metres. */
const bounds = new Float32Array(MESH_COUNT * 4);
const visible = new Uint32Array(MESH_COUNT);
const planes = new Float32Array(5 * 4);
const position = new Float32Array(3);
for (let mesh = 0; mesh < MESH_COUNT; mesh++) {
  vertexData.set(trianglePositions(mesh), mesh * 9);
  materialData.set([...colorOf(mesh), 1], (mesh * MATERIAL_STRIDE) / 4);
}
const vertices = bufferWith(GPUBufferUsage.VERTEX, vertexData);
const indices = bufferWith(
  GPUBufferUsage.INDEX,
  new Uint32Array(MESH_COUNT * 3).map((_, i) => i % 3),
);
const materials = bufferWith(GPUBufferUsage.UNIFORM, materialData);
const matrixBuffer = bufferWith(GPUBufferUsage.STORAGE, matrices);
const viewBuffer = bufferWith(GPUBufferUsage.UNIFORM, clipFromWorld);
const { FRAGMENT, VERTEX } = GPUShaderStage;
const viewLayout = device.createBindGroupLayout({
  entries: [
    { binding: 0, visibility: VERTEX, buffer: { type: 'read-only-storage' } },
    { binding: 1, visibility: VERTEX, buffer: {} },
  ],
});
const materialLayout = device.createBindGroupLayout({
  entries: [{ binding: 0, visibility: FRAGMENT, buffer: {} }],
});
const viewGroup = device.createBindGroup({
  layout: viewLayout,
  entries: [
    { binding: 0, resource: { buffer: matrixBuffer } },
    { binding: 1, resource: { buffer: viewBuffer } },
  ],
});
const materialGroups = Array.from({ length: MESH_COUNT }, (_, mesh) =>
  device.createBindGroup({
    layout: materialLayout,
    entries: [{ binding: 0, resource: { buffer: materials, offset: mesh * MATERIAL_STRIDE, size: 16 } }],
  }),
);
const module = device.createShaderModule({ code: SHADER });
const pipeline = await device.createRenderPipelineAsync({
  layout: device.createPipelineLayout({ bindGroupLayouts: [viewLayout, materialLayout] }),
  vertex: {
    module,
    entryPoint: 'vertexMain',
    buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
  },
  fragment: { module, entryPoint: 'fragmentMain', targets: [{ format: 'rgba8unorm' }] },
});
const view = device
  .createTexture({
    size: [CANVAS_SIZE, CANVAS_SIZE],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  })
  .createView();
let hasPositions = false;

self.onmessage = async ({ data }: MessageEvent<{ readonly frame: number; readonly of: Case }>) => {
  const { frame, of } = data;
  const began = performance.now();
  if (of === 'moving' || !hasPositions) moveAll(frame, of === 'moving');
  const draws = drawFrame(yawOf(frame, of === 'turning'));
  const milliseconds = performance.now() - began;
  await device.queue.onSubmittedWorkDone();
  self.postMessage({ milliseconds, draws } satisfies LoopFrame);
};
self.postMessage(null);

function moveAll(frame: number, isMoving: boolean): void {
  hasPositions = true;
  for (let mesh = 0; mesh < MESH_COUNT; mesh++) {
    positionOf(mesh, frame, isMoving, position);
    const at = mesh * MATRIX_FLOATS;
    matrices[at] = matrices[at + 5] = matrices[at + 10] = matrices[at + 15] = 1;
    matrices[at + 12] = position[0] as number;
    matrices[at + 13] = position[1] as number;
    matrices[at + 14] = position[2] as number;
    bounds.set(position, mesh * 4);
    bounds[mesh * 4 + 3] = reachOf(mesh) * Math.SQRT2;
  }
  device.queue.writeBuffer(matrixBuffer, 0, matrices);
}

/** Returns the number of draws. */
function drawFrame(yaw: number): number {
  lookAlong(yaw);
  device.queue.writeBuffer(viewBuffer, 0, clipFromWorld);
  const count = cull();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, viewGroup);
  pass.setIndexBuffer(indices, 'uint32');
  for (let i = 0; i < count; i++) {
    const mesh = visible[i] as number;
    pass.setBindGroup(1, materialGroups[mesh] as GPUBindGroup);
    pass.setVertexBuffer(0, vertices, mesh * GEOMETRY_BYTES, GEOMETRY_BYTES);
    pass.drawIndexed(3, 1, mesh * 3, 0, mesh);
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
  return count;
}

/**
 * Updates the matrix (reverse depth, infinite far) and the planes of a camera at the origin that is turned around Y.
 */
function lookAlong(yaw: number): void {
  const [sine, cosine] = [Math.sin(yaw), Math.cos(yaw)];
  const f = 1 / Math.tan(FOV_Y / 2);
  clipFromWorld.set([f * cosine, 0, 0, -sine, 0, f, 0, 0, -f * sine, 0, 0, -cosine, 0, 0, NEAR, 0]);
  for (let plane = 0; plane < 4; plane++) {
    const [axis, sign] = [plane >> 1, plane & 1 ? -1 : 1];
    for (let i = 0; i < 4; i++) {
      planes[plane * 4 + i] =
        (clipFromWorld[i * 4 + 3] as number) + sign * (clipFromWorld[i * 4 + axis] as number);
    }
    const length = Math.hypot(
      planes[plane * 4] as number,
      planes[plane * 4 + 1] as number,
      planes[plane * 4 + 2] as number,
    );
    for (let i = 0; i < 4; i++) planes[plane * 4 + i] = (planes[plane * 4 + i] as number) / length;
  }
  planes.set([-sine, 0, -cosine, -NEAR], 16);
}

function cull(): number {
  let count = 0;
  for (let mesh = 0; mesh < MESH_COUNT; mesh++) {
    const at = mesh * 4;
    const x = bounds[at] as number;
    const y = bounds[at + 1] as number;
    const z = bounds[at + 2] as number;
    const radius = bounds[at + 3] as number;
    let isInside = true;
    for (let plane = 0; isInside && plane < 20; plane += 4) {
      const distance =
        (planes[plane] as number) * x +
        (planes[plane + 1] as number) * y +
        (planes[plane + 2] as number) * z +
        (planes[plane + 3] as number);
      isInside = distance > -radius;
    }
    if (isInside) visible[count++] = mesh;
  }
  return count;
}
