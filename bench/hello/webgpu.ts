/** The hello cube by hand: one draw, one uniform buffer, 4× MSAA, a metallic-roughness shader. */
import {
  beginPass,
  bufferWith,
  composeMatrix,
  createBox,
  createLitPipeline,
  INDEX_COUNT,
  openGpu,
  viewData,
} from '../lib/hand-written.js';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const gpu = await openGpu(canvas);
const { device } = gpu;
const box = createBox(device);
const uniform = (visibility: number) =>
  device.createBindGroupLayout({ entries: [{ binding: 0, visibility, buffer: { type: 'uniform' } }] });
const group = (layout: GPUBindGroupLayout, buffer: GPUBuffer) =>
  device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
const layouts = [
  uniform(GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT),
  uniform(GPUShaderStage.FRAGMENT),
  uniform(GPUShaderStage.VERTEX),
] as const;
const pipeline = createLitPipeline(
  gpu,
  `@group(2) @binding(0) var<uniform> objectTransform: mat4x4f;
   fn worldFromLocal(instance: u32) -> mat4x4f { return objectTransform; }`,
  [...layouts],
);
const matrix = new Float32Array(16);
const transform = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
const view = viewData([3, 2, 4], 0.1, 1000, canvas.width / canvas.height);
const groups = [
  group(layouts[0], bufferWith(device, GPUBufferUsage.UNIFORM, view)),
  group(
    layouts[1],
    bufferWith(device, GPUBufferUsage.UNIFORM, new Float32Array([1, 0.195, 0.01, 1, 0, 1, 0, 0])),
  ),
  group(layouts[2], transform),
];

function frame(time: number): void {
  composeMatrix(matrix, 0, 0, 0, 0, 0, Math.sin(time / 2000), 0, Math.cos(time / 2000));
  device.queue.writeBuffer(transform, 0, matrix);
  const encoder = device.createCommandEncoder();
  const pass = beginPass(gpu, encoder);
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, box.vertices);
  pass.setIndexBuffer(box.indices, 'uint16');
  groups.forEach((bindGroup, i) => void pass.setBindGroup(i, bindGroup));
  pass.drawIndexed(INDEX_COUNT);
  pass.end();
  device.queue.submit([encoder.finish()]);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
