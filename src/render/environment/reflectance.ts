import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/environment-reflectance.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type GraphicsPipelineHandle,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Width and height in texels. environment-reflectance.wgsl and environment.wgsl contain the same number. */
const SIZE = 64;
/** Two numbers per texel that shaders load without filtering. */
const FORMAT = 'rg32float';
const DESCRIPTOR: GraphTextureDescriptor = {
  name: 'reflectance',
  width: SIZE,
  height: SIZE,
  format: FORMAT,
};
const CLEARED = { clear: [0, 0, 0, 0] } as const;

/**
 * Table of the share of uniform light that surfaces reflect, by angle and roughness. The table is the same for
 * every environment and is drawn only once.
 */
export class Reflectance implements GraphPass {
  readonly kind = 'raster';
  readonly name = 'reflectance';
  readonly #texture: TextureHandle;
  /** The texture's newest version in this frame. */
  version!: GraphTexture;
  #isDrawn = false;
  #pipeline: GraphicsPipelineHandle | undefined;
  readonly #rhi: ImmediateContext;

  /** Creates the texture. Call it outside passes. */
  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#texture = rhi.createTexture({
      label: 'reflectance',
      width: SIZE,
      height: SIZE,
      format: FORMAT,
      usage: TextureUsage.textureBinding | TextureUsage.renderAttachment,
    });
  }

  /** Per frame: imports the texture, and adds the pass until it has run once. */
  addTo(graph: FrameGraph): void {
    this.version = graph.importTexture(DESCRIPTOR, this.#texture);
    if (!this.#isDrawn) graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    this.version = builder.color(this.version, CLEARED);
  }

  prepare(): void {
    const rhi = this.#rhi;
    const label = this.name;
    const module = rhi.createShaderModule({ label, code: `${coverCode}${code}` });
    this.#pipeline = rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: { module, entryPoint: 'integrate', targets: [{ format: FORMAT }] },
    });
    rhi.destroy(module);
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#pipeline as GraphicsPipelineHandle);
    rhi.draw(3);
    rhi.destroy(this.#pipeline);
    this.#isDrawn = true;
  }

  dispose(): void {
    this.#rhi.destroy(this.#texture);
  }
}
