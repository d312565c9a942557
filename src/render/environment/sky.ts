import type { PassContext } from '../../graph/graph-pass.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { type PipelineCache, SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';

/**
 * The environment as the background of the scene: one triangle at the far end, drawn before the meshes. It
 * uses the meshes' shader, which contains the environment's code.
 */
export class Sky {
  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #meshes: PipelineCache;
  /** Pipelines by pass format. */
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();

  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#meshes = meshes;
  }

  /** Creates the pipeline of a pass format, unless it exists. Call it outside passes. @param format bits of `PassFormat` */
  prepare(format: number): void {
    if (!this.#pipelines.has(format)) this.#pipelines.set(format, this.#create(format));
  }

  /** Draws the triangle in a pass of the format, after `prepare`. */
  readonly draw = ({ rhi }: PassContext, format: number): void => {
    rhi.setGraphicsPipeline(this.#pipelines.get(format) as GraphicsPipelineHandle);
    rhi.draw(3);
  };

  dispose(): void {
    for (const pipeline of this.#pipelines.values()) this.#rhi.destroy(pipeline);
    this.#pipelines.clear();
  }

  #create(format: number): GraphicsPipelineHandle {
    const module = this.#meshes.plainModule(format);
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const target = { format: this.#meshes.colorFormat(format) };
    return this.#rhi.createGraphicsPipeline({
      label: 'environment behind the scene',
      bindGroupLayouts: [this.#frameLayout.handle],
      vertex: { module, entryPoint: 'placeSky' },
      fragment: {
        module,
        entryPoint: hasUnmappedTarget ? 'shadeSkyInLayers' : 'shadeSky',
        targets: hasUnmappedTarget ? [target, target] : [target],
      },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: false },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
    });
  }
}
