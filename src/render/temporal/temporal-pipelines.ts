import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/temporal-smoothing.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';

export const GpuTemporal = /* @__PURE__ */ defineGpuStruct('Temporal', {
  /** Rows of the matrix of `writeBackgroundMotion`: from a point of the background to its place in the last picture. */
  behindX: 'vec4f',
  behindY: 'vec4f',
  behindW: 'vec4f',
  /** Factor from scene colour to shown light; 0 if scene colour holds display colours. */
  exposure: 'f32',
  /** 1 if there is no history, else 0. */
  isNew: 'f32',
});

/** Format of the history, of its traces and of the smoothed picture. */
export const HISTORY_FORMAT = 'rgba16float';

interface TemporalPipeline {
  readonly layout: BindGroupLayoutHandle;
  readonly pipeline: GraphicsPipelineHandle;
}

/**
 * Pipelines that average pictures over time: one for views without a target for unmapped colours, and one for views
 * with that target.
 */
export class TemporalPipelines {
  readonly #rhi: ImmediateContext;
  readonly #made: (TemporalPipeline | undefined)[] = [];

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Returns a pipeline. The first call for a number of layers creates it, so that call must be outside passes.
   * @param layers 1: scene colour; 2: scene colour and unmapped colours
   */
  get(layers: 1 | 2): TemporalPipeline {
    const made = this.#made[layers] ?? this.#create(layers);
    this.#made[layers] = made;
    return made;
  }

  dispose(): void {
    for (const made of this.#made) {
      this.#rhi.destroy(made?.pipeline);
      this.#rhi.destroy(made?.layout);
    }
    this.#made.length = 0;
  }

  #create(layers: 1 | 2): TemporalPipeline {
    const rhi = this.#rhi;
    const label = 'temporal smoothing';
    const visibility = ShaderStage.fragment;
    const loaded = { visibility, texture: { sampleType: 'unfilterable-float' } } as const;
    const sampled = { visibility, texture: {} } as const;
    const layout = rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, ...loaded },
        { binding: 1, visibility, sampler: {} },
        { binding: 2, visibility, buffer: { type: 'uniform' } },
        { binding: 3, ...loaded },
        { binding: 4, ...sampled },
        { binding: 5, ...loaded },
        ...(layers === 2
          ? [
              { binding: 6, ...loaded },
              { binding: 7, ...sampled },
            ]
          : []),
      ],
    });
    const module = rhi.createShaderModule({ label, code: `${GpuTemporal.wgsl}${coverCode}${code}` });
    const targets = Array.from({ length: layers + 1 }, () => ({ format: HISTORY_FORMAT }) as const);
    const pipeline = rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: { module, entryPoint: layers === 2 ? 'smoothLayers' : 'smoothFrame', targets },
    });
    rhi.destroy(module);
    return { layout, pipeline };
  }
}
