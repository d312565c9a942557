/** Draws and their state. Each list colours quarters of a 4 × 4 target. */
import type { BufferHandle, GraphicsPipelineHandle, TextureHandle } from 'fencepost/rhi';
import { BLACK, BLUE, type CommandList, filled, GREEN, quarters, RED, type Stage } from './list.js';

/** A shader that draws instance 0 into the lower half and instance 1 into the upper half. */
const shader = `
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn vertex(@location(0) xy: vec2f, @location(1) color: vec4f, @builtin(instance_index) i: u32) -> Out {
  return Out(vec4f(xy.x, xy.y * 0.5 + f32(i) - 0.5, 0.5, 1), color);
}
@fragment fn fragment(in: Out) -> @location(0) vec4f { return in.color; }`;

const VERTEX_BYTES = 24;

/** Returns six vertices: two triangles over the columns from `left` to `right` in clip space. */
function quad(left: number, right: number, color: readonly number[]): number[] {
  const corner = (x: number, y: number): number[] => [x, y, ...color.map((value) => value / 255)];
  const [a, b, c, d] = [corner(left, -1), corner(right, -1), corner(left, 1), corner(right, 1)];
  return [...a, ...b, ...c, ...c, ...b, ...d];
}

/** Vertices 0–5 are the red left quad, 6–11 the green right quad. */
const vertices = new Float32Array([...quad(-1, 0, RED), ...quad(0, 1, GREEN)]);

export interface Scene {
  readonly target: TextureHandle;
  readonly pipeline: GraphicsPipelineHandle;
  readonly vertices: BufferHandle;
  readonly indices: BufferHandle;
}

export function createScene({ context, texture, buffer }: Stage): Scene {
  const module = context.createShaderModule({ label: 'quads', code: shader });
  return {
    target: texture(),
    pipeline: context.createGraphicsPipeline({
      label: 'quads',
      bindGroupLayouts: [],
      vertex: {
        module,
        entryPoint: 'vertex',
        buffers: [
          {
            arrayStride: VERTEX_BYTES,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x2' },
              { shaderLocation: 1, offset: 8, format: 'float32x4' },
            ],
          },
        ],
      },
      fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
    }),
    vertices: buffer(vertices),
    indices: buffer(new Uint32Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])),
  };
}

/**
 * Returns a list with a pass over a blue target. The scene's pipeline and buffers are set, and `draw`
 * receives a buffer with `contents`.
 */
function drawList(
  command: string,
  expected: readonly number[],
  draw: (stage: Stage, scene: Scene, buffer: BufferHandle) => void,
  contents: ArrayBufferView = new Uint32Array(1),
): CommandList {
  return {
    commands: [command],
    expected: { target: expected },
    record: (stage) => {
      const { context } = stage;
      const scene = createScene(stage);
      const buffer = stage.buffer(contents);
      stage.frame(() => {
        context.beginRenderPass({
          label: 'draws',
          colorAttachments: [
            { view: { texture: scene.target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] },
          ],
        });
        context.setGraphicsPipeline(scene.pipeline);
        context.setVertexBuffer(0, scene.vertices, 0, vertices.byteLength);
        context.setIndexBuffer(scene.indices, 'uint32', 0, 48);
        draw(stage, scene, buffer);
        context.endRenderPass();
        stage.readTexture('target', scene.target);
      });
    },
  };
}

/** A shader that fills the target with the colour bound at group 0. */
const boundColor = `
@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment() -> @location(0) vec4f { return color; }`;

export const drawing: readonly CommandList[] = [
  drawList('draw', quarters(BLUE, GREEN, BLUE, BLUE), ({ context }) => context.draw(6, 1, 6, 1)),
  // Indices 0 to 5 with a base vertex of 6.
  drawList('drawIndexed', quarters(BLUE, GREEN, BLUE, GREEN), ({ context }) =>
    context.drawIndexed(6, 2, 0, 6, 0),
  ),
  {
    // The first four draws use instance 0, and the next four use instance 1. The ninth draw has no indices, and
    // uses the vertex range of the eighth.
    ...drawList(
      'drawIndexed',
      quarters(GREEN, RED, RED, RED),
      ({ context }, _, ranges) => {
        for (let i = 0; i < 8; i++) {
          context.setVertexBuffer(0, ranges, 16 + i * 6 * VERTEX_BYTES, 6 * VERTEX_BYTES);
          context.drawIndexed(6, 1, 0, 0, i >> 2);
        }
        context.draw(6);
      },
      new Float32Array([
        ...[0, 0, 0, 0],
        ...[BLACK, BLACK, RED, GREEN, BLACK, BLACK, GREEN, RED].flatMap((color, i) =>
          quad((i % 2) - 1, i % 2, color),
        ),
      ]),
    ),
    title: 'ranges of one vertex buffer',
  },
  drawList(
    'drawIndirect',
    quarters(BLUE, BLUE, RED, GREEN),
    ({ context }, _, arguments_) => context.drawIndirect(arguments_, 16),
    new Uint32Array([0, 0, 0, 0, 12, 1, 0, 0]),
  ),
  // 6 indices and 1 instance, from index 6 on, with base vertex −6.
  drawList(
    'drawIndexedIndirect',
    quarters(BLUE, BLUE, RED, BLUE),
    ({ context }, _, arguments_) => context.drawIndexedIndirect(arguments_, 4),
    new Int32Array([99, 6, 1, 6, -6, 0]),
  ),
  drawList(
    'setVertexBuffer',
    quarters(GREEN, BLUE, GREEN, BLUE),
    ({ context }, _, moved) => {
      context.setVertexBuffer(0, moved, 16, 6 * VERTEX_BYTES);
      context.draw(6, 2);
    },
    new Float32Array([0, 0, 0, 0, ...quad(-1, 0, GREEN)]),
  ),
  drawList(
    'setIndexBuffer',
    quarters(BLUE, BLUE, BLUE, GREEN),
    ({ context }, _, indices) => {
      context.setIndexBuffer(indices, 'uint16', 4, 12);
      context.drawIndexed(6);
    },
    new Uint16Array([0, 0, 6, 7, 8, 9, 10, 11]),
  ),
  drawList('setScissorRect', quarters(BLUE, GREEN, BLUE, BLUE), ({ context }) => {
    context.setScissorRect(2, 0, 2, 2);
    context.draw(12, 2);
  }),
  // Each of columns 0 and 1 is the left half of a viewport that is two columns wide.
  drawList('setViewport', quarters(RED, BLUE, RED, BLUE), ({ context }) => {
    for (const x of [0, 1]) {
      context.setViewport(x, 0, 2, 4, 0, 1);
      context.draw(6, 2);
    }
  }),
  {
    commands: ['setGraphicsPipeline', 'invalidateCachedState'],
    expected: { target: quarters(RED, GREEN, RED, GREEN) },
    record: (stage) => {
      const { context } = stage;
      const scene = createScene(stage);
      stage.frame(() => {
        context.beginRenderPass({
          label: 'state set anew',
          colorAttachments: [{ view: { texture: scene.target }, loadOp: 'clear', storeOp: 'store' }],
        });
        for (const firstVertex of [0, 6]) {
          context.setGraphicsPipeline(scene.pipeline);
          context.setVertexBuffer(0, scene.vertices, 0, vertices.byteLength);
          context.draw(6, 2, firstVertex);
          context.invalidateCachedState();
        }
        context.endRenderPass();
        stage.readTexture('target', scene.target);
      });
    },
  },
  {
    commands: ['setBindGroup'],
    expected: { target: quarters(BLUE, BLUE, GREEN, GREEN) },
    record: (stage) => {
      const { context } = stage;
      const target = stage.texture();
      const module = context.createShaderModule({ label: 'bound color', code: boundColor });
      const layout = context.createBindGroupLayout({
        label: 'color',
        entries: [{ binding: 0, visibility: 2, buffer: { type: 'uniform', hasDynamicOffset: true } }],
      });
      const colors = stage.buffer(new Float32Array([0, 0, 1, 1, ...Array<number>(60).fill(0), 0, 1, 0, 1]));
      const bindGroup = context.createBindGroup({
        label: 'color',
        layout,
        entries: [{ binding: 0, buffer: colors, byteLength: 16 }],
      });
      const pipeline = context.createGraphicsPipeline({
        label: 'bound color',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'vertex' },
        fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
      });
      stage.frame(() => {
        context.beginRenderPass({
          label: 'bound',
          colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
        });
        context.setGraphicsPipeline(pipeline);
        context.setBindGroup(0, bindGroup, [0]);
        context.draw(3);
        context.setBindGroup(0, bindGroup, [256]);
        context.setScissorRect(0, 2, 4, 2);
        context.draw(3);
        context.endRenderPass();
        stage.readTexture('target', target);
      });
    },
  },
  {
    commands: ['setBlendFactor'],
    expected: { target: filled([51, 102, 153, 255]) },
    record: (stage) => blended(stage),
  },
  {
    commands: ['setStencilRef'],
    expected: { target: quarters(BLACK, GREEN, BLACK, GREEN) },
    record: (stage) => stenciled(stage),
  },
];

const white = `
@vertex fn vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
}
@fragment fn fragment() -> @location(0) vec4f { return vec4f(1, 1, 1, 1); }
@fragment fn green() -> @location(0) vec4f { return vec4f(0, 1, 0, 1); }`;

function blended(stage: Stage): void {
  const { context } = stage;
  const target = stage.texture();
  const module = context.createShaderModule({ label: 'white', code: white });
  const byFactor = { srcFactor: 'constant', dstFactor: 'zero', operation: 'add' } as const;
  const pipeline = context.createGraphicsPipeline({
    label: 'blended',
    bindGroupLayouts: [],
    vertex: { module, entryPoint: 'vertex' },
    fragment: {
      module,
      entryPoint: 'fragment',
      targets: [{ format: 'rgba8unorm', blend: { color: byFactor, alpha: byFactor } }],
    },
  });
  stage.frame(() => {
    context.beginRenderPass({
      label: 'blended',
      colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.setGraphicsPipeline(pipeline);
    context.setBlendFactor(0.2, 0.4, 0.6, 1);
    context.draw(3);
    context.endRenderPass();
    stage.readTexture('target', target);
  });
}

/** Writes the reference value 7 into the stencil of the right half. Then draws where the stencil is 7. */
function stenciled(stage: Stage): void {
  const { context } = stage;
  const target = stage.texture();
  const stencil = stage.texture({ format: 'stencil8' });
  const module = context.createShaderModule({ label: 'stencil', code: white });
  const pipeline = (
    label: string,
    compare: GPUCompareFunction,
    passOp: GPUStencilOperation,
    entryPoint: string,
  ) =>
    context.createGraphicsPipeline({
      label,
      bindGroupLayouts: [],
      vertex: { module, entryPoint: 'vertex' },
      fragment: {
        module,
        entryPoint,
        targets: [{ format: 'rgba8unorm', writeMask: passOp === 'replace' ? 0 : 0xf }],
      },
      depthStencil: {
        format: 'stencil8',
        stencilFront: { compare, passOp },
        stencilBack: { compare, passOp },
      },
    });
  const mark = pipeline('mark', 'always', 'replace', 'fragment');
  const draw = pipeline('draw', 'equal', 'keep', 'green');
  stage.frame(() => {
    context.beginRenderPass({
      label: 'stencil',
      colorAttachments: [
        { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] },
      ],
      depthStencilAttachment: {
        view: { texture: stencil },
        stencilLoadOp: 'clear',
        stencilStoreOp: 'store',
        stencilClearValue: 0,
      },
    });
    context.setGraphicsPipeline(mark);
    context.setStencilRef(7);
    context.setScissorRect(2, 0, 2, 4);
    context.draw(3);
    context.setGraphicsPipeline(draw);
    context.setScissorRect(0, 0, 4, 4);
    context.draw(3);
    context.endRenderPass();
    stage.readTexture('target', target);
  });
}
