/**
 * Draw bundles. A bundle draws the same picture as its draws in a pass, whatever state surrounds it. It uses
 * the current memory of its resources.
 */
import { type BufferHandle, DeferredContext, type DrawRecorder, type TextureHandle } from 'fencepost/rhi';
import { createScene, type Scene } from './drawing.js';
import { BLUE, type CommandList, filled, GREEN, quarters, RED, type Stage } from './list.js';

const COMMANDS = ['createDrawBundle', 'executeDrawBundle'] as const;

const passOver = (texture: TextureHandle) =>
  ({
    label: 'bundles',
    colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] }],
  }) as const;

/** Draws both columns, red on the left and green on the right, with each kind of draw. */
function drawAll(draws: DrawRecorder, scene: Scene, arguments_: BufferHandle): void {
  draws.pushDebugGroup('columns');
  draws.setGraphicsPipeline(scene.pipeline);
  draws.setVertexBuffer(0, scene.vertices);
  draws.setIndexBuffer(scene.indices, 'uint32');
  draws.draw(6, 1, 0, 0);
  draws.insertDebugMarker('upper left');
  draws.drawIndirect(arguments_, 0);
  draws.drawIndexed(6, 1, 0, 6, 0);
  draws.drawIndexedIndirect(arguments_, 16);
  draws.popDebugGroup();
}

/**
 * Arguments of indirect draws: six vertices of instance 1 from vertex 0, and six indices of instance 1 from
 * index 6.
 */
const ARGUMENTS = new Uint32Array([6, 1, 0, 1, 6, 1, 6, 0, 1]);

const list = (
  title: string,
  expected: CommandList['expected'],
  record: (stage: Stage, scene: Scene) => void,
  errors?: CommandList['errors'],
): CommandList => ({
  commands: COMMANDS,
  title,
  expected,
  errors,
  record: (stage) => record(stage, createScene(stage)),
});

/** Creates a pipeline that fills the target with a buffer's colour. */
function createColor({ context, buffer }: Stage) {
  const module = context.createShaderModule({
    label: 'color',
    code: `
@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment() -> @location(0) vec4f { return color; }`,
  });
  const layout = context.createBindGroupLayout({
    label: 'color',
    entries: [{ binding: 0, visibility: 2, buffer: {} }],
  });
  const color = buffer(new Float32Array([1, 0, 0, 1]));
  const group = context.createBindGroup({ label: 'color', layout, entries: [{ binding: 0, buffer: color }] });
  const pipelineFor = (format: GPUTextureFormat) =>
    context.createGraphicsPipeline({
      label: format,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'vertex' },
      fragment: { module, entryPoint: 'fragment', targets: [{ format }] },
    });
  return { color, group, pipelineFor };
}

export const bundles: readonly CommandList[] = [
  list(
    'gives the same bytes as its draws in a pass',
    { plain: quarters(RED, GREEN, RED, GREEN), bundled: quarters(RED, GREEN, RED, GREEN) },
    (stage, scene) => {
      const { context } = stage;
      const bundled = stage.texture();
      const arguments_ = stage.buffer(ARGUMENTS);
      const bundle = context.createDrawBundle({ label: 'columns' }, (draws) =>
        drawAll(draws, scene, arguments_),
      );
      for (const times of [1, 2]) {
        stage.frame(() => {
          context.beginRenderPass(passOver(scene.target));
          drawAll(context, scene, arguments_);
          context.endRenderPass();
          context.beginRenderPass(passOver(bundled));
          for (let i = 0; i < times; i++) context.executeDrawBundle(bundle);
          context.endRenderPass();
          if (times === 1) return;
          stage.readTexture('plain', scene.target);
          stage.readTexture('bundled', bundled);
        });
      }
      context.destroy(bundle);
    },
  ),
  list(
    'draws within the pass’s scissor rectangle, which stays set after the bundle',
    { target: quarters(BLUE, BLUE, RED, GREEN) },
    (stage, scene) => {
      const { context } = stage;
      const bundle = context.createDrawBundle({ label: 'left' }, (draws) => {
        draws.setGraphicsPipeline(scene.pipeline);
        draws.setVertexBuffer(0, scene.vertices);
        draws.draw(6, 2);
      });
      stage.frame(() => {
        context.beginRenderPass(passOver(scene.target));
        context.setScissorRect(0, 2, 4, 2);
        for (let i = 0; i < 2; i++) {
          context.setGraphicsPipeline(scene.pipeline);
          context.setVertexBuffer(0, scene.vertices, 6 * 24);
          context.draw(6, 2);
          context.executeDrawBundle(bundle);
        }
        context.endRenderPass();
        stage.readTexture('target', scene.target);
      });
    },
  ),
  list(
    'uses a renamed buffer’s new memory, and is left out once a buffer is destroyed',
    { red: filled(RED), green: filled(GREEN), missing: quarters(BLUE, GREEN, BLUE, GREEN) },
    (stage, scene) => {
      const { context } = stage;
      const { color, group, pipelineFor } = createColor(stage);
      const pipeline = pipelineFor('rgba8unorm');
      const targets = { red: stage.texture(), green: stage.texture(), missing: stage.texture() };
      const left = stage.buffer(new Float32Array(36));
      const colored = context.createDrawBundle({ label: 'colored' }, (draws) => {
        draws.setGraphicsPipeline(pipeline);
        draws.setBindGroup(0, group);
        draws.draw(3);
      });
      const columns = context.createDrawBundle({ label: 'columns' }, (draws) => {
        draws.setGraphicsPipeline(scene.pipeline);
        draws.setVertexBuffer(0, left);
        draws.draw(6, 2);
        draws.setVertexBuffer(0, scene.vertices);
        draws.draw(6, 2, 6);
      });
      stage.frame(() => {
        context.beginRenderPass(passOver(targets.red));
        context.executeDrawBundle(colored);
        context.endRenderPass();
        context.beginRenderPass(passOver(targets.missing));
        context.executeDrawBundle(columns);
        context.endRenderPass();
        context.renameBuffer(color);
        context.writeBufferUnordered(color, 0, new Uint8Array(new Float32Array([0, 1, 0, 1]).buffer));
        context.beginRenderPass(passOver(targets.green));
        context.executeDrawBundle(colored);
        context.endRenderPass();
        for (const [name, texture] of Object.entries(targets)) stage.readTexture(name, texture);
        // A bundle with a destroyed resource is left out and reported. Later reads of its target would be
        // refused.
        context.destroy(left);
        context.beginRenderPass(passOver(targets.missing));
        context.executeDrawBundle(columns);
        context.endRenderPass();
      });
    },
    ['stale-handle'],
  ),
  list(
    'executes in a deferred list, in a pass that clears and one that loads',
    { first: filled(RED), second: filled(RED) },
    (stage) => {
      const { context } = stage;
      const { group, pipelineFor } = createColor(stage);
      const pipeline = pipelineFor('rgba8unorm');
      const targets = { first: stage.texture(), second: stage.texture({ width: 4, mipLevelCount: 2 }) };
      const bundle = context.createDrawBundle({ label: 'colored' }, (draws) => {
        draws.setGraphicsPipeline(pipeline);
        draws.setBindGroup(0, group);
        draws.draw(3);
      });
      const deferred = new DeferredContext();
      stage.frame(() => {
        deferred.begin(context.openSubList('bundles'));
        deferred.beginRenderPass(passOver(targets.first));
        deferred.executeDrawBundle(bundle);
        deferred.endRenderPass();
        deferred.beginRenderPass({
          label: 'another',
          colorAttachments: [
            { view: { texture: targets.second, mipLevelCount: 1 }, loadOp: 'load', storeOp: 'store' },
          ],
        });
        deferred.executeDrawBundle(bundle);
        deferred.endRenderPass();
        context.executeSubLists([deferred.finish()]);
        for (const [name, texture] of Object.entries(targets)) stage.readTexture(name, texture);
      });
    },
  ),
];
