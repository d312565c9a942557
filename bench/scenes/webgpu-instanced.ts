/**
 * Hand-written WebGPU with instances. Matrices are composed into one array, ordered by material. One `writeBuffer`
 * uploads it to a storage buffer. Eight draws show them. The code is specialised for exactly this scene.
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

let gpu: Gpu;
let layout: Layout;
let pipeline: GPURenderPipeline;
let box: { vertices: GPUBuffer; indices: GPUBuffer };
let viewGroup: GPUBindGroup;
let materialGroups: GPUBindGroup[];
let instanceBuffer: GPUBuffer;
let poses: Float32Array;
let matrices: Float32Array<ArrayBuffer>;
/** Instance slot of each box; the boxes of a material are adjacent. */
let slots: Uint32Array;
let firstInstance: number[];

export const bench: BenchScene = {
  name: 'webgpu (instanced)',
  version: 'hand-written',
  async init(canvas, count) {
    gpu = await openGpu(canvas);
    const { device } = gpu;
    layout = createLayout(count);
    poses = new Float32Array(count * 7);
    matrices = new Float32Array(count * 16);
    slots = new Uint32Array(count);
    firstInstance = [0];
    let slot = 0;
    for (let material = 0; material < COLORS.length; material++) {
      for (let i = material; i < count; i += COLORS.length) slots[i] = slot++;
      firstInstance.push(slot);
    }
    box = createBox(device);
    instanceBuffer = device.createBuffer({
      size: matrices.byteLength,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    const viewLayout = device.createBindGroupLayout({
      entries: [
        {
          binding: 0,
          visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
          buffer: { type: 'uniform' },
        },
        { binding: 1, visibility: GPUShaderStage.VERTEX, buffer: { type: 'read-only-storage' } },
      ],
    });
    const materialLayout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } }],
    });
    pipeline = createLitPipeline(
      gpu,
      `@group(0) @binding(1) var<storage, read> transforms: array<mat4x4f>;
       fn worldFromLocal(instance: u32) -> mat4x4f { return transforms[instance]; }`,
      [viewLayout, materialLayout],
    );
    viewGroup = device.createBindGroup({
      layout: viewLayout,
      entries: [
        { binding: 0, resource: { buffer: bufferWith(device, GPUBufferUsage.UNIFORM, viewOf(layout)) } },
        { binding: 1, resource: { buffer: instanceBuffer } },
      ],
    });
    materialGroups = COLORS.map((_, i) =>
      device.createBindGroup({
        layout: materialLayout,
        entries: [
          { binding: 0, resource: { buffer: bufferWith(device, GPUBufferUsage.UNIFORM, materialData(i)) } },
        ],
      }),
    );
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
    composeAll(layout.count);
    device.queue.writeBuffer(instanceBuffer, 0, matrices);
    const encoder = device.createCommandEncoder();
    const pass = beginPass(gpu, encoder);
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, box.vertices);
    pass.setIndexBuffer(box.indices, 'uint16');
    pass.setBindGroup(0, viewGroup);
    for (let material = 0; material < materialGroups.length; material++) {
      const first = firstInstance[material] as number;
      const end = firstInstance[material + 1] as number;
      pass.setBindGroup(1, materialGroups[material] as GPUBindGroup);
      pass.drawIndexed(INDEX_COUNT, end - first, 0, 0, first);
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
      (slots[i] as number) * 16,
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
