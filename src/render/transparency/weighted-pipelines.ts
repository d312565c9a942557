import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/weighted-blending.wgsl?raw';
import unmappedCode from '../../../shaders/weighted-unmapped.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';

const NO_UNMAPPED = 'fn unmappedSum(pixel: vec2u, sampleIndex: u32) -> vec4f { return vec4f(0.0); }\n';
/** Bits of `PassFormat` on which the pipelines depend, besides the format of scene colour. */
const VARIANT_BITS = PassFormat.multisampled | PassFormat.unmappedTarget;

/** Draws that blend the sums over the scene, one after the other, and the layout of their bind group. */
interface Blending {
  readonly layout: BindGroupLayoutHandle;
  readonly pipelines: readonly GraphicsPipelineHandle[];
}

const OVER = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
const DIM = { srcFactor: 'zero', dstFactor: 'one-minus-src-alpha' } as const;
const ADD = { srcFactor: 'one', dstFactor: 'one' } as const;

/** Pipelines that blend weighted surfaces over the scene. All views of a world share them. */
export class WeightedPipelines {
  /** By format of scene colour, then by variant. */
  readonly #blendings = new Map<GPUTextureFormat, Blending[]>();
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Returns the draws of a pass format. Call it outside passes if they may have to be created, and keep the result.
   * @param format bits of `PassFormat`
   * @param colorFormat format of scene colour
   */
  get(format: number, colorFormat: GPUTextureFormat): Blending {
    let variants = this.#blendings.get(colorFormat);
    if (!variants) {
      variants = [];
      this.#blendings.set(colorFormat, variants);
    }
    const variant = format & VARIANT_BITS;
    variants[variant] ??= this.#create(format, colorFormat);
    return variants[variant];
  }

  dispose(): void {
    for (const blending of [...this.#blendings.values()].flatMap(Object.values<Blending>)) {
      for (const pipeline of blending.pipelines) this.#rhi.destroy(pipeline);
      this.#rhi.destroy(blending.layout);
    }
    this.#blendings.clear();
  }

  #create(passFormat: number, format: GPUTextureFormat): Blending {
    const rhi = this.#rhi;
    const label = 'weighted blending';
    const multisampled = (passFormat & PassFormat.multisampled) !== 0;
    const hasUnmapped = (passFormat & PassFormat.unmappedTarget) !== 0;
    const texture = { sampleType: 'unfilterable-float', multisampled } as const;
    const layout = rhi.createBindGroupLayout({
      label,
      entries: (hasUnmapped ? [0, 1, 2] : [0, 1]).map((binding) => ({
        binding,
        visibility: ShaderStage.fragment,
        texture,
      })),
    });
    const module = rhi.createShaderModule({
      label,
      code: [
        `alias Sums = texture_${multisampled ? 'multisampled_' : ''}2d<f32>;\n`,
        coverCode,
        code,
        hasUnmapped ? unmappedCode : NO_UNMAPPED,
      ].join(''),
    });
    const pipeline = (entryPoint: string, blend: GPUBlendState): GraphicsPipelineHandle =>
      rhi.createGraphicsPipeline({
        label,
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'coverTarget' },
        fragment: {
          module,
          entryPoint,
          targets: hasUnmapped
            ? [
                { format, blend },
                { format, blend },
              ]
            : [{ format, blend }],
        },
        multisample: { count: multisampled ? 4 : 1 },
      });
    const pipelines = hasUnmapped
      ? [
          pipeline('hideBehind', { color: DIM, alpha: DIM }),
          pipeline('addBlended', { color: ADD, alpha: ADD }),
        ]
      : [pipeline('blendOver', { color: OVER, alpha: OVER })];
    rhi.destroy(module);
    return { layout, pipelines };
  }
}
