import type { PassContext } from '../../graph/graph-pass.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { type PipelineCache, SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import { SkyDetails } from './sky-details.js';

/** Blending of a colour that is multiplied by its coverage. */
const OVER = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;

/**
 * The environment as the background of the scene, or the fog in front of a plain background: one triangle at the far
 * end, drawn before the meshes. It uses the meshes' shader, which contains the code of environment and fog.
 */
export class Sky {
  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #meshes: PipelineCache;
  /** Pipelines by pass format. */
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();

  readonly #shows: 'Sky' | 'Fog';
  /** The sun's disc and the stars, which are drawn over the environment; undefined: there are none. */
  details: SkyDetails | undefined;

  constructor(
    rhi: ImmediateContext,
    frameLayout: FrameLayout,
    meshes: PipelineCache,
    shows: 'Sky' | 'Fog' = 'Sky',
  ) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#meshes = meshes;
    this.#shows = shows;
  }

  /**
   * Creates the pipeline of a pass format, unless it exists, and prepares the details. Called outside passes.
   * @param format bits of `PassFormat`
   */
  prepare(format: number): void {
    if (!this.#pipelines.has(format)) this.#pipelines.set(format, this.#create(format));
    this.details?.prepare(format);
  }

  /** Draws the triangle and the details over it, in a pass of the format, after `prepare`. */
  readonly draw = (context: PassContext, format: number): void => {
    context.rhi.setGraphicsPipeline(this.#pipelines.get(format) as GraphicsPipelineHandle);
    context.rhi.draw(3);
    this.details?.draw(context, format);
  };

  /** Creates the sun's disc and the stars, which the caller shows by setting `details`. */
  createDetails(): SkyDetails {
    return new SkyDetails(this.#rhi, this.#frameLayout, this.#meshes);
  }

  dispose(): void {
    for (const pipeline of this.#pipelines.values()) this.#rhi.destroy(pipeline);
    this.#pipelines.clear();
  }

  #create(format: number): GraphicsPipelineHandle {
    const module = this.#meshes.plainModule(format);
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const shows = this.#shows;
    const target = {
      format: this.#meshes.colorFormat(format),
      ...(shows === 'Fog' && { blend: { color: OVER, alpha: OVER } }),
    };
    return this.#rhi.createGraphicsPipeline({
      label: shows === 'Fog' ? 'fog behind the scene' : 'environment behind the scene',
      bindGroupLayouts: [this.#frameLayout.handle],
      vertex: { module, entryPoint: `place${shows}` },
      fragment: {
        module,
        entryPoint: `shade${shows}${hasUnmappedTarget ? 'InLayers' : ''}`,
        targets: hasUnmappedTarget ? [target, target] : [target],
      },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'always', depthWriteEnabled: false },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
    });
  }
}
