/** Render and compute passes, scenes, debug groups and queries. */
import { QueueHint } from 'fencepost/rhi';
import { createScene } from './drawing.js';
import {
  BLUE,
  bytesOf,
  CLEAR,
  type Color,
  type CommandList,
  filled,
  GREEN,
  quarters,
  RED,
  repeated,
} from './list.js';

const doubling = `
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] = data[id.x] * 2 + 1; }`;

/** Returns a list with a compute pass over `data` (1 to 12), with four numbers per workgroup. */
function computeList(
  commands: readonly string[],
  expected: readonly number[],
  dispatch: (stage: Parameters<CommandList['record']>[0], commands: ReturnType<typeof makeArguments>) => void,
): CommandList {
  return {
    commands,
    expected: { data: bytesOf(new Uint32Array(expected)) },
    record: (stage) => {
      const { context } = stage;
      const data = stage.buffer(new Uint32Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
      const workgroups = makeArguments(stage);
      const layout = context.createBindGroupLayout({
        label: 'data',
        entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }],
      });
      const pipeline = context.createComputePipeline({
        label: 'doubling',
        bindGroupLayouts: [layout],
        compute: {
          module: context.createShaderModule({ label: 'doubling', code: doubling }),
          entryPoint: 'main',
        },
      });
      const bindGroup = context.createBindGroup({
        label: 'data',
        layout,
        entries: [{ binding: 0, buffer: data }],
      });
      stage.frame(() => {
        context.setQueue(QueueHint.compute);
        context.beginComputePass({ label: 'doubling' });
        context.setComputePipeline(pipeline);
        context.setBindGroup(0, bindGroup);
        dispatch(stage, workgroups);
        context.endComputePass();
        context.setQueue(QueueHint.graphics);
        stage.readBuffer('data', data, 48);
      });
    },
  };
}

const makeArguments = (stage: Parameters<CommandList['record']>[0]) =>
  stage.buffer(new Uint32Array([9, 2, 1, 1]));

export const passes: readonly CommandList[] = [
  {
    commands: ['beginRenderPass', 'endRenderPass'],
    title: 'clear, load, store and resolve',
    expected: { resolved: quarters(RED, BLUE, RED, BLUE), discarded: filled(GREEN) },
    record: (stage) => {
      const { context } = stage;
      const scene = createScene(stage);
      const samples = stage.texture({ sampleCount: 4 });
      const second = stage.texture();
      const depth = stage.texture({ format: 'depth24plus', sampleCount: 4, usage: 0x10 });
      const multisampled = context.createGraphicsPipeline({
        label: 'multisampled',
        bindGroupLayouts: [],
        vertex: { module: context.createShaderModule({ label: 'red', code: red }), entryPoint: 'vertex' },
        fragment: {
          module: context.createShaderModule({ label: 'red', code: red }),
          entryPoint: 'fragment',
          targets: [{ format: 'rgba8unorm' }],
        },
        depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
        multisample: { count: 4 },
      });
      stage.frame(() => {
        context.beginRenderPass({
          label: 'clear',
          colorAttachments: [
            { view: { texture: samples }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] },
          ],
        });
        context.endRenderPass();
        context.beginRenderPass({
          label: 'load and resolve',
          colorAttachments: [
            {
              view: { texture: samples },
              resolveTarget: { texture: scene.target },
              loadOp: 'load',
              storeOp: 'discard',
            },
          ],
          depthStencilAttachment: {
            view: { texture: depth },
            depthLoadOp: 'clear',
            depthStoreOp: 'discard',
            depthClearValue: 1,
          },
        });
        context.setGraphicsPipeline(multisampled);
        context.setScissorRect(0, 0, 2, 4);
        context.draw(3);
        context.endRenderPass();
        context.beginRenderPass({
          label: 'several targets',
          colorAttachments: [
            null,
            { view: { texture: second }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 1, 0, 1] },
          ],
        });
        context.endRenderPass();
        stage.readTexture('resolved', scene.target);
        stage.readTexture('discarded', second);
      });
    },
  },
  {
    commands: ['beginRenderPass', 'endRenderPass'],
    title: 'slices of a 3D texture',
    expected: {
      slices: [...filled(GREEN), ...filled(CLEAR), ...quarters(RED, BLUE, RED, BLUE), ...filled(BLUE)],
      lowerLevel: [...repeated(4, CLEAR), ...repeated(4, GREEN)],
    },
    record: (stage) => {
      const { context } = stage;
      const volume = stage.texture({ dimension: '3d', depthOrArrayLayers: 4, mipLevelCount: 2 });
      const module = context.createShaderModule({ label: 'red', code: red });
      const pipeline = context.createGraphicsPipeline({
        label: 'two slices',
        bindGroupLayouts: [],
        vertex: { module, entryPoint: 'vertex' },
        fragment: {
          module,
          entryPoint: 'fragment',
          targets: [{ format: 'rgba8unorm' }, { format: 'rgba8unorm', writeMask: 0 }],
        },
      });
      const slice = (depthSlice: number, baseMipLevel: number, color: Color) =>
        ({
          view: { texture: volume, baseMipLevel, mipLevelCount: 1 },
          depthSlice,
          loadOp: 'clear',
          storeOp: 'store',
          clearValue: [color[0] / 255, color[1] / 255, color[2] / 255, 1],
        }) as const;
      stage.frame(() => {
        context.beginRenderPass({ label: 'first', colorAttachments: [slice(0, 0, GREEN)] });
        context.endRenderPass();
        // One pass draws into two slices of one texture.
        context.beginRenderPass({ label: 'drawn', colorAttachments: [slice(2, 0, BLUE), slice(3, 0, BLUE)] });
        context.setGraphicsPipeline(pipeline);
        context.setScissorRect(0, 0, 2, 4);
        context.draw(3);
        context.endRenderPass();
        context.beginRenderPass({ label: 'lower level', colorAttachments: [slice(1, 1, GREEN)] });
        context.endRenderPass();
        stage.readTexture('slices', volume, 4, { depthOrArrayLayers: 4 });
        const lower = { width: 2, height: 2, depthOrArrayLayers: 2, mipLevel: 1 };
        stage.readTexture('lowerLevel', volume, 4, lower);
      });
    },
  },
  computeList(
    [
      'beginComputePass',
      'setComputePipeline',
      'dispatch',
      'endComputePass',
      'createComputePipeline',
      'setQueue',
    ],
    [3, 5, 7, 9, 11, 13, 15, 17, 9, 10, 11, 12],
    ({ context }) => context.dispatch(2),
  ),
  computeList(['dispatchIndirect'], [7, 11, 15, 19, 23, 27, 31, 35, 19, 21, 23, 25], (stage, workgroups) => {
    stage.context.dispatchIndirect(workgroups, 4);
    stage.context.dispatch(3);
  }),
  {
    commands: [
      'beginScene',
      'endScene',
      'pushDebugGroup',
      'popDebugGroup',
      'insertDebugMarker',
      'debugBreak',
    ],
    expected: { target: filled(GREEN), copy: [1, 2, 3, 4] },
    record: (stage) => {
      const { context } = stage;
      const target = stage.texture();
      const bytes = stage.buffer(new Uint8Array([1, 2, 3, 4]));
      const fence = context.createFence('split');
      stage.frame(() => {
        context.beginScene('scene');
        context.pushDebugGroup('outside a pass');
        const copy = stage.buffer(4);
        context.copyBufferToBuffer(bytes, 0, copy, 0, 4);
        // The signal splits the submission, and with it the debug groups.
        context.signalFence(fence, 1);
        context.popDebugGroup();
        context.insertDebugMarker('outside a pass');
        context.beginRenderPass({
          label: 'marked',
          colorAttachments: [
            { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 1, 0, 1] },
          ],
        });
        context.pushDebugGroup('inside');
        context.insertDebugMarker('inside');
        context.popDebugGroup();
        context.popDebugGroup(); // an unmatched pop is left out
        context.endRenderPass();
        context.debugBreak();
        context.endScene();
        stage.readTexture('target', target);
        stage.readBuffer('copy', copy, 4);
      });
    },
  },
  {
    commands: ['createQuerySet', 'beginOcclusionQuery', 'endOcclusionQuery', 'resolveQuerySet'],
    // Query 0 counts two columns of four texels. Query 1 counts nothing.
    expected: { samples: bytesOf(new BigUint64Array([8n, 0n])) },
    record: (stage) => {
      const { context } = stage;
      const scene = createScene(stage);
      const querySet = context.createQuerySet({ label: 'visible', type: 'occlusion', count: 2 });
      const results = stage.buffer(512);
      stage.frame(() => {
        context.beginRenderPass({
          label: 'queried',
          occlusionQuerySet: querySet,
          colorAttachments: [{ view: { texture: scene.target }, loadOp: 'clear', storeOp: 'store' }],
        });
        context.setGraphicsPipeline(scene.pipeline);
        context.setVertexBuffer(0, scene.vertices, 0, 288);
        context.beginOcclusionQuery(0);
        context.draw(6, 2);
        context.endOcclusionQuery();
        context.setScissorRect(0, 0, 0, 0);
        context.beginOcclusionQuery(1);
        context.draw(6, 2);
        context.endOcclusionQuery();
        context.endRenderPass();
        context.resolveQuerySet(querySet, 0, 2, results, 256);
        stage.readBuffer('samples', results, 16, 256);
      });
    },
  },
];

const red = `
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }`;
