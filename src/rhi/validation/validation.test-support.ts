/**
 * Connects a recorder to validation, for tests. `run` returns the reported codes, and the commands that an
 * executor would receive.
 *
 *   rhi.draw(3) ─► validate ─► run(): { codes: ['pipeline-missing'], passed: ['beginFrame', …] }
 */

import type { RhiError } from '../../core/errors.js';
import { decodeRecord, encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { isPageCursor, type PageCursor, type StreamWriter } from '../../core/streams/stream.js';
import { rhiCommands } from '../commands/commands.js';
import {
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineDescriptor,
  type RenderPassDescriptor,
  type TextureDescriptor,
  type TextureHandle,
  TextureUsage,
} from '../commands/descriptors.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { type ValidatingReader, type ValidationOptions, validate } from './validate.js';

/** A context without checks of frames: it records `beginFrame` and `endFrame` in any order and with any number. */
export class CarelessContext extends ImmediateContext {
  #last = 0;

  override beginFrame(frame: number, flags = 0): void {
    this.#last = frame;
    this.handles.beginFrame(frame);
    encodeRecord(this.writer, rhiCommands, 'beginFrame', { frame, flags });
  }

  override endFrame(): void {
    encodeRecord(this.writer, rhiCommands, 'endFrame', { frame: this.#last });
  }
}

export class ValidationBench {
  readonly rhi: ImmediateContext;
  readonly writer: StreamWriter;
  readonly reader: ValidatingReader;
  readonly errors: RhiError[] = [];
  readonly readbacks: [number, number][] = [];
  /** Number of calls of `onSkippedDraw`. */
  skipped = 0;

  constructor(
    options: Partial<ValidationOptions> = {},
    wrap: (reader: PageCursor, options: ValidationOptions) => ValidatingReader = validate,
  ) {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    if (!isPageCursor(reader)) throw new Error('the reader has no pages');
    this.writer = writer;
    this.rhi = new CarelessContext(writer, { maxFramesInFlight: 2 });
    this.reader = wrap(reader, {
      onError: (error) => this.errors.push(error),
      onReadback: (request, bytes) => this.readbacks.push([request, bytes.byteLength]),
      onSkippedDraw: () => this.skipped++,
      ...options,
    });
  }

  /** Publishes and reads the records since the last call. */
  run(): { codes: string[]; passed: string[] } {
    this.rhi.publish();
    const passed: string[] = [];
    while (this.reader.next()) passed.push(decodeRecord(rhiCommands, this.reader).name);
    return { codes: this.errors.splice(0).map(({ code }) => code), passed };
  }

  buffer(label: string, usage: number, byteLength = 1024): BufferHandle {
    return this.rhi.createBuffer({ label, byteLength, usage });
  }

  texture(label: string, more: Partial<TextureDescriptor> = {}): TextureHandle {
    const { renderAttachment, textureBinding, copySource, copyTarget } = TextureUsage;
    const usage = renderAttachment | textureBinding | copySource | copyTarget;
    return this.rhi.createTexture({ label, width: 64, height: 64, format: 'rgba8unorm', usage, ...more });
  }

  /** Returns the descriptor of a render pass with one color attachment. */
  pass(texture: TextureHandle, more: Partial<RenderPassDescriptor> = {}): RenderPassDescriptor {
    const view = { texture };
    return { label: 'main', colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }], ...more };
  }

  /** Calls `body` in a frame. */
  frame(number: number, body: () => void): void {
    this.rhi.beginFrame(number);
    body();
    this.rhi.endFrame();
  }

  /** Calls `body` in frame 1, in a render pass with a new texture. */
  inPass(body: () => void, more: Partial<RenderPassDescriptor> = {}): void {
    const target = this.texture('target');
    this.frame(1, () => {
      this.rhi.beginRenderPass(this.pass(target, more));
      body();
      this.rhi.endRenderPass();
    });
  }

  /** Calls `body` in frame 1, in a compute pass. */
  inComputePass(body: () => void): void {
    this.frame(1, () => {
      this.rhi.beginComputePass({ label: 'compute' });
      body();
      this.rhi.endComputePass();
    });
  }

  /**
   * Creates the resources that a draw needs: a pipeline, a bind group with one dynamic uniform buffer, and a
   * buffer for vertices and indices.
   */
  scene() {
    const { rhi } = this;
    const module = rhi.createShaderModule({ label: 'shader', code: '' });
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 1, buffer: { hasDynamicOffset: true } }],
    });
    const uniforms = this.buffer('uniforms', BufferUsage.uniform | BufferUsage.copyTarget);
    const group = rhi.createBindGroup({
      label: 'group',
      layout,
      entries: [{ binding: 0, buffer: uniforms, byteLength: 256 }],
    });
    const vertices = this.buffer('vertices', BufferUsage.vertex | BufferUsage.index | BufferUsage.indirect);
    const pipeline = (label: string, more: Partial<GraphicsPipelineDescriptor> = {}) =>
      rhi.createGraphicsPipeline({
        label,
        bindGroupLayouts: [layout],
        vertex: {
          module,
          entryPoint: 'v',
          buffers: [{ arrayStride: 16, attributes: [{ format: 'float32x3', offset: 0, shaderLocation: 0 }] }],
        },
        fragment: { module, entryPoint: 'f', targets: [{ format: 'rgba8unorm' }] },
        ...more,
      });
    const main = pipeline('pipeline');
    /**
     * Sets the state that `main` needs. The vertex buffer has 16 vertices, and the index buffer 64 indices of 16
     * bits.
     */
    const set = () => {
      rhi.setGraphicsPipeline(main);
      rhi.setBindGroup(0, group, [256]);
      rhi.setVertexBuffer(0, vertices, 0, 256);
      rhi.setIndexBuffer(vertices, 'uint16', 256, 128);
    };
    return { module, layout, uniforms, group, vertices, pipeline, main, set };
  }

  /** Creates a compute pipeline, two storage buffers, and a function that creates bind groups of two buffers. */
  compute() {
    const { rhi } = this;
    const module = rhi.createShaderModule({ label: 'shader', code: '' });
    const layout = rhi.createBindGroupLayout({
      label: 'storage layout',
      entries: [
        { binding: 0, visibility: 4, buffer: { type: 'storage' } },
        { binding: 1, visibility: 4, buffer: { type: 'read-only-storage' } },
      ],
    });
    const pipeline = rhi.createComputePipeline({
      label: 'compute pipeline',
      bindGroupLayouts: [layout],
      compute: { module, entryPoint: 'c' },
    });
    const storage = BufferUsage.storage | BufferUsage.indirect | BufferUsage.copyTarget;
    const [written, read] = [this.buffer('written', storage), this.buffer('read', storage)];
    const group = (label: string, first: BufferHandle, second: BufferHandle) =>
      rhi.createBindGroup({
        label,
        layout,
        entries: [
          { binding: 0, buffer: first },
          { binding: 1, buffer: second },
        ],
      });
    return { module, layout, pipeline, written, read, group };
  }
}

/**
 * Records a fault. Returns the name of a command that no executor may receive. Returns undefined if the faulty command
 * is passed on, or if valid commands have the same name.
 */
export type Slip = (bench: ValidationBench) => string | undefined;
