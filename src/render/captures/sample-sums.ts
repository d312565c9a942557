import code from '../../../shaders/capture-samples.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { CaptureTile } from '../../proxy/capture-tiles.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type ComputePipelineHandle,
  type ResourceHandle,
  type ShaderModuleHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';

const GpuCaptureSample = /* @__PURE__ */ defineGpuStruct('CaptureSample', {
  /** Origin of the tile in the picture that is read, in pixels. */
  x: 'u32',
  y: 'u32',
  width: 'u32',
  height: 'u32',
  /** Length of a row of `bytes`, in words. */
  rowWords: 'u32',
  /** Index of the sample, and number of samples. */
  index: 'u32',
  count: 'u32',
  /** 1: the picture is averaged as light; 0: in sRGB. */
  isLight: 'u32',
});
const { at } = GpuCaptureSample;

/** Length of a pixel's sum, in words. */
const SUM_WORDS = 4;
/** Alignment of rows in the answer, in words: see `unpack-capture.ts`. */
const ROW_WORDS = 64;
/** Width and height of a workgroup. */
const WORKGROUP = 8;

/**
 * Averages the samples of a tile, and reads the average back.
 *
 *   picture of sample 0, 1 … ─► sums, 32-bit floats ─► last sample: average ─► bytes ─► answer
 */
export class SampleSums implements GraphPass {
  readonly kind = 'compute';
  readonly name = 'capture: average';
  readonly #rhi: ImmediateContext;
  readonly #uniforms = new Uint32Array(GpuCaptureSample.words);
  readonly #buffers: readonly [uniforms: BufferHandle, sums: BufferHandle, bytes: BufferHandle];
  readonly #descriptors: readonly [sums: GraphBufferDescriptor, bytes: GraphBufferDescriptor];
  readonly #layout: BindGroupLayoutHandle;
  readonly #module: ShaderModuleHandle;
  readonly #pipeline: ComputePipelineHandle;
  #bindGroup: BindGroupHandle | undefined;
  #picture!: GraphTexture;
  #sums!: GraphBuffer;
  #bytes!: GraphBuffer;

  /**
   * @param largest the largest tile
   * @param count number of samples
   */
  constructor(rhi: ImmediateContext, { width, height }: CaptureTile, count: number) {
    this.#rhi = rhi;
    const label = this.name;
    const create = (byteLength: number, usage: number): BufferHandle =>
      rhi.createBuffer({ label, byteLength, usage });
    const sumBytes = count > 1 ? width * height * SUM_WORDS * 4 : SUM_WORDS * 4;
    const byteLength = rowWords(width) * height * 4;
    this.#buffers = [
      create(GpuCaptureSample.byteLength, BufferUsage.uniform | BufferUsage.copyTarget),
      create(sumBytes, BufferUsage.storage),
      create(byteLength, BufferUsage.storage | BufferUsage.copySource),
    ];
    this.#descriptors = [
      { name: `${label}, sums`, byteLength: sumBytes },
      { name: `${label}, bytes`, byteLength },
    ];
    const visibility = ShaderStage.compute;
    this.#layout = rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility, texture: { sampleType: 'unfilterable-float' } },
        { binding: 1, visibility, buffer: { type: 'uniform' } },
        { binding: 2, visibility, buffer: { type: 'storage' } },
        { binding: 3, visibility, buffer: { type: 'storage' } },
      ],
    });
    this.#module = rhi.createShaderModule({ label, code: `${GpuCaptureSample.wgsl}${code}` });
    this.#pipeline = rhi.createComputePipeline({
      label,
      bindGroupLayouts: [this.#layout],
      compute: { module: this.#module, entryPoint: 'addSample' },
    });
    this.#uniforms[at.count] = count;
  }

  /**
   * Per sample: adds the pass.
   * @param picture finished picture of the sample
   * @param x, y origin of the tile in `picture`
   * @param isLight whether the samples are averaged as light
   */
  add(
    graph: FrameGraph,
    picture: GraphTexture,
    { width, height }: CaptureTile,
    x: number,
    y: number,
    index: number,
    isLight: boolean,
  ): void {
    const uniforms = this.#uniforms;
    uniforms[at.x] = x;
    uniforms[at.y] = y;
    uniforms[at.width] = width;
    uniforms[at.height] = height;
    uniforms[at.rowWords] = rowWords(width);
    uniforms[at.index] = index;
    uniforms[at.isLight] = isLight ? 1 : 0;
    const [buffer, sums, bytes] = this.#buffers;
    this.#rhi.writeBuffer(buffer, 0, uniforms);
    this.#picture = picture;
    this.#sums = graph.importBuffer(this.#descriptors[0], sums);
    this.#bytes = graph.importBuffer(this.#descriptors[1], bytes);
    graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    builder.read(this.#picture, 'sampled');
    this.#sums = builder.modify(this.#sums, 'storage');
    this.#bytes = builder.modify(this.#bytes, 'storage');
  }

  prepare(context: PassContext): void {
    const rhi = this.#rhi;
    const [uniforms, sums, bytes] = this.#buffers;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: this.name,
      layout: this.#layout,
      entries: [
        { binding: 0, view: { texture: context.texture(this.#picture) } },
        { binding: 1, buffer: uniforms },
        { binding: 2, buffer: sums },
        { binding: 3, buffer: bytes },
      ],
    });
  }

  execute({ rhi }: PassContext): void {
    const groups = (word: number): number => Math.ceil((this.#uniforms[word] as number) / WORKGROUP);
    rhi.setComputePipeline(this.#pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.dispatch(groups(at.width), groups(at.height));
  }

  /** Reads the average back. Called after the graph has run for the last sample. */
  answer(request: number, { width, height }: CaptureTile): void {
    this.#rhi.readBuffer(request, this.#buffers[2], 0, rowWords(width) * height * 4);
  }

  dispose(): void {
    const resources: (ResourceHandle | undefined)[] = [
      this.#bindGroup,
      this.#pipeline,
      this.#module,
      this.#layout,
      ...this.#buffers,
    ];
    for (const resource of resources) this.#rhi.destroy(resource);
  }
}

const rowWords = (width: number): number => Math.ceil(width / ROW_WORDS) * ROW_WORDS;
