import commonCode from '../../../shaders/particles.wgsl?raw';
import drawingCode from '../../../shaders/particles-drawing.wgsl?raw';
import pictureCode from '../../../shaders/particles-picture.wgsl?raw';
import simulationCode from '../../../shaders/particles-simulation.wgsl?raw';
import softnessCode from '../../../shaders/particles-softness.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type ComputePipelineHandle,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type ShaderModuleHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { DisplayColors } from '../keys/display-colors.js';
import { SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { DISPLAY_BITS, PassFormat } from '../keys/pass-format.js';
import type { MaterialTextures } from '../materials/material-textures.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import { CollisionPipelines } from './collision-pipelines.js';
import { Collision, GpuParticleSystem } from './gpu-particles.js';
import { declareSceneDepth } from './scene-depth.js';
import { SortPipelines } from './sort-pipelines.js';

/** Bits of the pass format on which the drawing depends. */
const FORMAT_BITS = PassFormat.multisampled | PassFormat.unmappedTarget | DISPLAY_BITS;

/** The simulation without `bounced`. */
const SIMULATION = `${GpuParticleSystem.wgsl}${commonCode}${simulationCode}`;

/** A particle without a texture: a disc that is opaque in the middle. */
const DISC =
  'fn pictureAt(uv: vec2f) -> vec4f { let p = uv * 2.0 - 1.0; return vec4f(1.0, 1.0, 1.0, max(1.0 - dot(p, p), 0.0)); }\n';
const IN_ORDER_OF_BIRTH = 'fn indexOf(instance: u32) -> u32 { return instance; }\n';
const SORTED = `@group(1) @binding(3) var<storage, read> entries: array<vec2u>;
fn indexOf(instance: u32) -> u32 { return entries[instance].y; }\n`;
const LINEAR = 'fn displayColor(color: vec4f) -> vec4f { return color; }\n';
/** Hard particles are not faded. */
const HARD = 'fn shareInFront(position: vec4f, w: f32) -> f32 { return 1.0; }\n';
const soft = (group: number, sampleCount: number): string =>
  `${declareSceneDepth(group, sampleCount)}const SAMPLES = ${sampleCount};\n${softnessCode}`;
/** The simulation without collisions with surfaces. */
const FREE = 'fn bounced(particle: Particle) -> Particle { return particle; }\n';
/** Tone mapping applies to particles in display colours. */
const MAPPED = 'const isUnmapped = false;\n';

/** How a system is drawn. */
interface ParticleStyle {
  /** Bits of `PassFormat` of the view. */
  readonly format: number;
  readonly isAdditive: boolean;
  /** Whether particles bounce off a plane. */
  readonly collides: boolean;
  readonly isSorted: boolean;
  /** Whether the drawing reads the depth of the scene, in the bind group after the others. */
  readonly isSoft: boolean;
  /** Texture slots that the system's material binds, as bits; 0: no texture. */
  readonly slots: number;
}

/** Returns the index of the bind group with the depth of the scene, which follows the group of the texture. */
export const depthGroup = (isTextured: boolean): number => (isTextured ? 3 : 2);

/** Pipelines of the particles of a world. They exist once the world has particles. */
export class ParticlePipelines {
  readonly simulationLayout: BindGroupLayoutHandle;
  readonly drawingLayout: BindGroupLayoutHandle;
  /** `drawingLayout` plus the sorted entries. */
  readonly sortedLayout: BindGroupLayoutHandle;
  #sort: SortPipelines | undefined;
  /** Layouts of the depth of a scene: with one sample per pixel, and with four. */
  readonly #depthLayouts: (BindGroupLayoutHandle | undefined)[] = [];
  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #display: DisplayColors;
  #collisions: CollisionPipelines | undefined;
  /** Pipelines of the simulation, by `Collision`. */
  readonly #simulations: (ComputePipelineHandle | undefined)[] = [];
  readonly #drawings = new Map<number, GraphicsPipelineHandle>();
  readonly #modules = new Map<string, ShaderModuleHandle>();
  /** Version of the frame's layout that the pipelines of drawings were created with. */
  #layoutVersion = -1;

  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, display: DisplayColors) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#display = display;
    const layout = (visibility: number, ...types: GPUBufferBindingType[]): BindGroupLayoutHandle =>
      rhi.createBindGroupLayout({
        label: 'particles',
        entries: [
          { binding: 0, visibility: visibility | ShaderStage.fragment, buffer: { type: 'uniform' } },
          ...types.map((type, index) => ({ binding: index + 1, visibility, buffer: { type } })),
        ],
      });
    const read = 'read-only-storage';
    this.simulationLayout = layout(ShaderStage.compute, 'storage', read);
    this.drawingLayout = layout(ShaderStage.vertex, read, read);
    this.sortedLayout = layout(ShaderStage.vertex, read, read, read);
  }

  /** Returns the pipelines of sorts. Created at the first call, which must be outside passes. */
  sort(): SortPipelines {
    this.#sort ??= new SortPipelines(this.#rhi);
    return this.#sort;
  }

  /** Returns the layout of the bind group with the depth of the scene. @param format bits of `PassFormat` */
  depthLayout(format: number): BindGroupLayoutHandle {
    const multisampled = (format & PassFormat.multisampled) !== 0;
    const index = Number(multisampled);
    this.#depthLayouts[index] ??= this.#rhi.createBindGroupLayout({
      label: 'particles, depth',
      entries: [
        { binding: 0, visibility: ShaderStage.fragment, texture: { sampleType: 'depth', multisampled } },
      ],
    });
    return this.#depthLayouts[index];
  }

  /** Returns the pipelines of collisions with surfaces. Created at the first call, which must be outside passes. */
  collisions(): CollisionPipelines {
    this.#collisions ??= new CollisionPipelines(this.#rhi, this.simulationLayout, SIMULATION);
    return this.#collisions;
  }

  /**
   * Returns the pipeline of the simulation, without collisions with surfaces. The first call per kind of collisions
   * creates it, so it must be outside passes.
   */
  simulation(collision: Collision): ComputePipelineHandle {
    let pipeline = this.#simulations[collision];
    if (pipeline === undefined) {
      const module = this.#module('particles, simulation', `${SIMULATION}${FREE}`);
      const constants = {
        isStepped: collision === Collision.none ? 0 : 1,
        collides: collision === Collision.plane ? 1 : 0,
      };
      pipeline = this.#rhi.createComputePipeline({
        label: 'particles, simulation',
        bindGroupLayouts: [this.simulationLayout],
        compute: { module, entryPoint: 'simulate', constants },
      });
      this.#simulations[collision] = pipeline;
    }
    return pipeline;
  }

  /** Returns the pipeline of the drawing. The first call per style creates it, so it must be outside passes. */
  drawing(style: ParticleStyle, textures: MaterialTextures | undefined): GraphicsPipelineHandle {
    const { format, isAdditive, collides, isSorted, isSoft, slots } = style;
    if (this.#layoutVersion !== this.#frameLayout.version) {
      this.#layoutVersion = this.#frameLayout.version;
      for (const pipeline of this.#drawings.values()) this.#rhi.destroy(pipeline);
      this.#drawings.clear();
    }
    const kind = Number(isAdditive) + 2 * Number(collides) + 4 * Number(slots !== 0) + 8 * Number(isSorted);
    const key = (format & FORMAT_BITS) * 32 + kind + 16 * Number(isSoft);
    let pipeline = this.#drawings.get(key);
    if (pipeline === undefined) {
      pipeline = this.#createDrawing(style, textures);
      this.#drawings.set(key, pipeline);
    }
    return pipeline;
  }

  dispose(): void {
    const resources: (ResourceHandle | undefined)[] = [
      ...this.#simulations,
      ...this.#drawings.values(),
      ...this.#modules.values(),
      ...this.#depthLayouts,
      this.simulationLayout,
      this.drawingLayout,
      this.sortedLayout,
    ];
    this.#sort?.dispose();
    this.#collisions?.dispose();
    for (const resource of resources) this.#rhi.destroy(resource);
  }

  #createDrawing(
    { format, isAdditive, collides, isSorted, isSoft, slots }: ParticleStyle,
    textures: MaterialTextures | undefined,
  ): GraphicsPipelineHandle {
    const isTextured = slots !== 0 && textures !== undefined;
    const display = this.#display.code(format);
    const sampleCount = format & PassFormat.multisampled ? 4 : 1;
    const code = [
      GpuView.wgsl,
      GpuParticleSystem.wgsl,
      commonCode,
      drawingCode,
      isSorted ? SORTED : IN_ORDER_OF_BIRTH,
      isTextured ? pictureCode : DISC,
      display ? MAPPED + display : LINEAR,
      isSoft ? soft(depthGroup(isTextured), sampleCount) : HARD,
    ].join('');
    const parts = `${isTextured ? ', textured' : ''}${isSorted ? ', sorted' : ''}${isSoft ? `, soft, ${sampleCount}` : ''}${display ? `, parts ${format & DISPLAY_BITS}` : ''}`;
    const module = this.#module(`particles${parts}`, code);
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const target = colorTarget(this.#display.colorFormat(format), isAdditive);
    return this.#rhi.createGraphicsPipeline({
      label: 'particles',
      bindGroupLayouts: [
        this.#frameLayout.handle,
        isSorted ? this.sortedLayout : this.drawingLayout,
        ...(isTextured ? [textures.sets.layout(slots)] : []),
        ...(isSoft ? [this.depthLayout(format)] : []),
      ],
      vertex: { module, entryPoint: 'placeParticle', constants: { collides: Number(collides) } },
      fragment: {
        module,
        entryPoint: hasUnmappedTarget ? 'shadeParticleInLayers' : 'shadeParticle',
        targets: hasUnmappedTarget ? [target, dimmedTarget(isAdditive)] : [target],
      },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'greater', depthWriteEnabled: false },
      multisample: { count: sampleCount },
    });
  }

  #module(label: string, code: string): ShaderModuleHandle {
    const module = this.#modules.get(label) ?? this.#rhi.createShaderModule({ label, code });
    this.#modules.set(label, module);
    return module;
  }
}

const OVER = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' } as const;
const COVERAGE = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } as const;
const ADDED = { srcFactor: 'src-alpha', dstFactor: 'one' } as const;
const KEPT = { srcFactor: 'zero', dstFactor: 'one' } as const;

/** Returns the target of scene colour. Additive particles keep its alpha, because they cover nothing. */
const colorTarget = (format: GPUTextureFormat, isAdditive: boolean): GPUColorTargetState => ({
  format,
  blend: isAdditive ? { color: ADDED, alpha: KEPT } : { color: OVER, alpha: COVERAGE },
});

/** Returns the target of unmapped colours. Particles add nothing to it; all but additive particles dim it. */
const dimmedTarget = (isAdditive: boolean): GPUColorTargetState => ({
  format: SCENE_COLOR_FORMAT,
  blend: isAdditive
    ? { color: KEPT, alpha: KEPT }
    : { color: OVER, alpha: { srcFactor: 'zero', dstFactor: 'one-minus-src-alpha' } },
});
