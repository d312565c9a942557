/**
 * Hand-written WebGPU with one draw per box. Positions and quaternions lie in a typed array. Matrices are composed into
 * one uniform buffer, 256 bytes per box, which one `writeBuffer` uploads. Then 10,000 draws follow, each with a dynamic
 * offset, sorted by material.
 */
import {
  beginPass,
  bufferWith,
  composeMatrix,
  createBox,
  createLitPipeline,
  type Gpu,
  INDEX_COUNT,
  materialData,
  openGpu,
  viewOf,
} from '../lib/hand-written.js';
import { type BenchScene, COLORS, createLayout, type Layout, moveBoxes } from '../lib/scene.js';

/** WebGPU's minUniformBufferOffsetAlignment in bytes. */
const OBJECT_STRIDE = 256;

let gpu: Gpu;
let layout: Layout;
let pipeline: GPURenderPipeline;
let box: { vertices: GPUBuffer; indices: GPUBuffer };
let viewGroup: GPUBindGroup;
let materialGroups: GPUBindGroup[];
let objectBuffer: GPUBuffer;
let objectGroup: GPUBindGroup;
let poses: Float32Array;
let matrices: Float32Array<ArrayBuffer>;
const offsets = new Uint32Array(1);

export const bench: BenchScene = {
  name: 'webgpu (draws)',
  version: 'hand-written',
  async init(canvas, count) {
    gpu = await openGpu(canvas);
    const { device } = gpu;
    layout = createLayout(count);
    poses = new Float32Array(count * 7);
    matrices = new Float32Array((count * OBJECT_STRIDE) / 4);
    box = createBox(device);
    const uniform = (visibility: number, hasDynamicOffset: boolean) =>
      device.createBindGroupLayout({
        entries: [{ binding: 0, visibility, buffer: { type: 'uniform', hasDynamicOffset } }],
      });
    const viewLayout = uniform(GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, false);
    const materialLayout = uniform(GPUShaderStage.FRAGMENT, false);
    const objectLayout = uniform(GPUShaderStage.VERTEX, true);
    pipeline = createLitPipeline(
      gpu,
      `@group(2) @binding(0) var<uniform> objectTransform: mat4x4f;
       fn worldFromLocal(instance: u32) -> mat4x4f { return objectTransform; }`,
      [viewLayout, materialLayout, objectLayout],
    );
    const group = (groupLayout: GPUBindGroupLayout, buffer: GPUBuffer, size?: number) =>
      device.createBindGroup({
        layout: groupLayout,
        entries: [{ binding: 0, resource: size ? { buffer, size } : { buffer } }],
      });
    viewGroup = group(viewLayout, bufferWith(device, GPUBufferUsage.UNIFORM, viewOf(layout)));
    materialGroups = COLORS.map((_, i) =>
      group(materialLayout, bufferWith(device, GPUBufferUsage.UNIFORM, materialData(i))),
    );
    objectBuffer = device.createBuffer({
      size: matrices.byteLength,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    objectGroup = group(objectLayout, objectBuffer, 64);
  },
  update(timeSeconds) {
    moveBoxes(layout, timeSeconds, (i, x, y, z, qx, qy, qz, qw) => {
      const o = i * 7;
      poses[o] = x;
      poses[o + 1] = y;
      poses[o + 2] = z;
      poses[o + 3] = qx;
      poses[o + 4] = qy;
      poses[o + 5] = qz;
      poses[o + 6] = qw;
    });
  },
  render() {
    const { device } = gpu;
    const count = layout.count;
    composeAll(count);
    device.queue.writeBuffer(objectBuffer, 0, matrices);
    const encoder = device.createCommandEncoder();
    const pass = beginPass(gpu, encoder);
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, box.vertices);
    pass.setIndexBuffer(box.indices, 'uint16');
    pass.setBindGroup(0, viewGroup);
    for (let material = 0; material < materialGroups.length; material++) {
      pass.setBindGroup(1, materialGroups[material] as GPUBindGroup);
      for (let i = material; i < count; i += materialGroups.length) {
        offsets[0] = i * OBJECT_STRIDE;
        pass.setBindGroup(2, objectGroup, offsets, 0, 1);
        pass.drawIndexed(INDEX_COUNT);
      }
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  },
};

function composeAll(count: number): void {
  for (let i = 0; i < count; i++) {
    const o = i * 7;
    composeMatrix(
      matrices,
      (i * OBJECT_STRIDE) / 4,
      poses[o] as number,
      poses[o + 1] as number,
      poses[o + 2] as number,
      poses[o + 3] as number,
      poses[o + 4] as number,
      poses[o + 5] as number,
      poses[o + 6] as number,
    );
  }
}
