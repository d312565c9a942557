/**
 * The reference of B6: a page that draws the hello cube with WebGPU alone, on its main thread. It uses Fencepost's
 * shaders, formats and MSAA, so that compile times of shaders are equal and only the engine differs. Both pipelines
 * are created at once and asynchronously, which is fastest.
 *
 *   mesh shader ──► colour ×4, depth ×4 ──resolve──► scene colour ──tone mapping──► canvas
 */
import toneMappingCode from '../../shaders/tone-mapping.wgsl?raw';
import {
  GpuLight,
  GpuMaterial,
  GpuPrimitive,
  GpuToneMapping,
  GpuView,
} from '../../src/render/buffers/gpu-layouts.js';
import { DEFAULT_ATTRIBUTES, vertexBufferLayouts } from '../../src/render/geometry/vertex-layouts.js';
import { SCENE_COLOR_FORMAT } from '../../src/render/keys/display-colors.js';
import { meshShaderCode } from '../../src/render/materials/mesh-shader.js';
import { SCENE_DEPTH_FORMAT } from '../../src/render/pipelines/pipeline-cache.js';
import { bufferWith, INDEX_COUNT, SAMPLE_COUNT, viewData } from '../lib/hand-written.js';

const canvas = document.querySelector('canvas') as HTMLCanvasElement;
const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
const device = await adapter.requestDevice();
const context = canvas.getContext('webgpu') as GPUCanvasContext;
const format = navigator.gpu.getPreferredCanvasFormat();
const srgbFormat: GPUTextureFormat = `${format as 'bgra8unorm' | 'rgba8unorm'}-srgb`;
context.configure({ device, format, viewFormats: [srgbFormat], alphaMode: 'opaque' });

const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
const storage = { type: 'read-only-storage' } as const;
const frameLayout = device.createBindGroupLayout({
  entries: [
    { binding: 0, visibility: both, buffer: { type: 'uniform' } },
    { binding: 1, visibility: GPUShaderStage.VERTEX, buffer: storage },
    { binding: 2, visibility: GPUShaderStage.VERTEX, buffer: storage },
    { binding: 3, visibility: GPUShaderStage.FRAGMENT, buffer: storage },
    { binding: 4, visibility: GPUShaderStage.FRAGMENT, buffer: storage },
  ],
});
const toneLayout = device.createBindGroupLayout({
  entries: [
    { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } },
    { binding: 1, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } },
  ],
});
const meshModule = device.createShaderModule({ code: meshShaderCode() });
const toneCurve = 'fn toneCurve(color: vec3f) -> vec3f { return color; }';
const unmappedColor = 'fn unmappedColor(pixel: vec2u) -> vec4f { return vec4f(0.0); }';
const toneModule = device.createShaderModule({
  code: GpuToneMapping.wgsl + toneMappingCode + unmappedColor + toneCurve,
});
const pipelinesReady = Promise.all([
  device.createRenderPipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [frameLayout] }),
    vertex: { module: meshModule, entryPoint: 'placeVertex', buffers: vertexBufferLayouts(0) },
    fragment: {
      module: meshModule,
      entryPoint: 'shadeMesh',
      constants: {
        alphaMode: 0,
        isUnlit: 0,
        mayLackNormals: 0,
      },
      targets: [{ format: SCENE_COLOR_FORMAT }],
    },
    primitive: { cullMode: 'back' },
    depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
    multisample: { count: SAMPLE_COUNT },
  }),
  device.createRenderPipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [toneLayout] }),
    vertex: { module: toneModule, entryPoint: 'coverTarget' },
    fragment: {
      module: toneModule,
      entryPoint: 'mapTones',
      targets: [{ format: srgbFormat }],
    },
  }),
]);

const target = (targetFormat: GPUTextureFormat, sampleCount: number, usage = 0) =>
  device.createTexture({
    size: [canvas.width, canvas.height],
    format: targetFormat,
    sampleCount,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | usage,
  });
const multisampled = target(SCENE_COLOR_FORMAT, SAMPLE_COUNT).createView();
const depth = target(SCENE_DEPTH_FORMAT, SAMPLE_COUNT).createView();
const sceneColor = target(SCENE_COLOR_FORMAT, 1, GPUTextureUsage.TEXTURE_BINDING).createView();
const view = new Float32Array(GpuView.words);
const position = [3, 2, 4] as const;
view.set(viewData(position, 0.1, 1000, canvas.width / canvas.height, 'reversed').subarray(0, 16));
view.set(position, GpuView.at.cameraPosition);
new Uint32Array(view.buffer)[GpuView.at.lightCount] = 1;
const material = new Float32Array(GpuMaterial.words);
material.set([1, 0.195, 0.01, 1], GpuMaterial.at.baseColor);
material[GpuMaterial.at.roughness] = 1;
const light = new Float32Array(GpuLight.words);
const length = Math.hypot(1, 2, 1.5);
light.set([-1 / length, -2 / length, -1.5 / length], GpuLight.at.direction);
light.set([3, 3, 3], GpuLight.at.intensity);
const primitive = new Float32Array(GpuPrimitive.words);
const primitives = device.createBuffer({
  size: GpuPrimitive.byteLength,
  usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
});
const tone = new Float32Array(GpuToneMapping.words);
tone[GpuToneMapping.at.background + 3] = 1;
tone[GpuToneMapping.at.exposure] = 1;

const resources = (...all: GPUBindingResource[]) => all.map((resource, binding) => ({ binding, resource }));
const frameGroup = device.createBindGroup({
  layout: frameLayout,
  entries: resources(
    { buffer: bufferWith(device, GPUBufferUsage.UNIFORM, view) },
    { buffer: primitives },
    { buffer: bufferWith(device, GPUBufferUsage.STORAGE, new Float32Array(1)) },
    { buffer: bufferWith(device, GPUBufferUsage.STORAGE, material) },
    { buffer: bufferWith(device, GPUBufferUsage.STORAGE, light) },
  ),
});
const toneGroup = device.createBindGroup({
  layout: toneLayout,
  entries: resources(sceneColor, { buffer: bufferWith(device, GPUBufferUsage.UNIFORM, tone) }),
});

/** A unit box: position, normal, texture coordinates (left zero), 32 bytes per vertex. */
const vertices = new Float32Array(24 * 8);
const indices = new Uint16Array(INDEX_COUNT);
for (let face = 0; face < 6; face++) {
  const axis = face >> 1;
  const sign = face & 1 ? -1 : 1;
  for (let corner = 0; corner < 4; corner++) {
    const offset = (face * 4 + corner) * 8;
    vertices[offset + axis] = sign / 2;
    vertices[offset + ((axis + 1) % 3)] = (corner & 1 ? 1 : -1) / 2;
    vertices[offset + ((axis + 2) % 3)] = (corner & 2 ? 1 : -1) / 2;
    vertices[offset + 3 + axis] = sign;
  }
  const order = sign > 0 ? [0, 1, 3, 0, 3, 2] : [0, 3, 1, 0, 2, 3];
  for (let i = 0; i < 6; i++) indices[face * 6 + i] = face * 4 + (order[i] as number);
}
const vertexBuffer = bufferWith(device, GPUBufferUsage.VERTEX, vertices);
const defaultBuffer = bufferWith(device, GPUBufferUsage.VERTEX, DEFAULT_ATTRIBUTES);
const indexBuffer = bufferWith(device, GPUBufferUsage.INDEX, indices);
const [meshPipeline, tonePipeline] = await pipelinesReady;

function frame(time: number): void {
  const sine = Math.sin(time / 1000);
  const cosine = Math.cos(time / 1000);
  primitive.set([cosine, 0, sine, 0, 0, 1, 0, 0, -sine, 0, cosine, 0], GpuPrimitive.at.worldFromLocal);
  device.queue.writeBuffer(primitives, 0, primitive);
  const encoder = device.createCommandEncoder();
  const scene = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: multisampled,
        resolveTarget: sceneColor,
        loadOp: 'clear',
        storeOp: 'discard',
        clearValue: [0, 0, 0, 0],
      },
    ],
    depthStencilAttachment: {
      view: depth,
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 0,
    },
  });
  scene.setPipeline(meshPipeline);
  scene.setBindGroup(0, frameGroup);
  scene.setVertexBuffer(0, vertexBuffer);
  scene.setVertexBuffer(1, defaultBuffer);
  scene.setIndexBuffer(indexBuffer, 'uint16');
  scene.drawIndexed(INDEX_COUNT);
  scene.end();
  const output = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: context.getCurrentTexture().createView({ format: srgbFormat }),
        loadOp: 'clear',
        storeOp: 'store',
      },
    ],
  });
  output.setPipeline(tonePipeline);
  output.setBindGroup(0, toneGroup);
  output.draw(3);
  output.end();
  device.queue.submit([encoder.finish()]);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
