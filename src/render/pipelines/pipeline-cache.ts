import type {
  GraphicsPipelineHandle,
  ProgrammableStage,
  ShaderModuleHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { DeferredRenderer } from '../deferred/deferred-renderer.js';
import type { PassPolicy } from '../draws/mesh-pass.js';
import type { EnvironmentLight } from '../environment/environment.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { type DisplayColors, SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { DISPLAY_BITS, lightConstants, PassFormat } from '../keys/pass-format.js';
import {
  alphaModeOf,
  isBlendedKey,
  isSurfaceKey,
  isTexturedKey,
  KeyBit,
  PIPELINE_KEY_BITS,
  PLAIN_PIPELINE,
  primitiveState,
  shaderOf,
  vertexFormatOf,
} from '../keys/pipeline-key.js';
import type { MaterialTextures } from '../materials/material-textures.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { RenderFeatures } from '../render-features.js';
import type { Scene } from '../scene/scene.js';
import type { FrameLayout } from './frame-bindings.js';

/** The bits that make shaders others. */
const MODULE_PARTS =
  PassFormat.environment |
  PassFormat.environmentOff |
  PassFormat.shadows |
  PassFormat.clusters |
  PassFormat.deferred |
  DISPLAY_BITS;

export const SCENE_DEPTH_FORMAT = 'depth32float';

/**
 * Pipelines of the forward pass, one per pipeline key (`pipeline-key.ts`) and pass format. One shader serves all without
 * textures and one all with; their variants are `override` constants, which the driver folds away.
 */
export class PipelineCache implements PassPolicy {
  /** Rises with each other pass format. */
  version = 0;
  #passFormat: number;
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** By label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();

  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #scene: Scene;
  readonly #features: RenderFeatures;
  readonly #display: DisplayColors;

  constructor(
    rhi: ImmediateContext,
    passFormat: number,
    frameLayout: FrameLayout,
    scene: Scene,
    features: RenderFeatures,
    display: DisplayColors,
  ) {
    this.#rhi = rhi;
    this.#passFormat = passFormat;
    this.#frameLayout = frameLayout;
    this.#scene = scene;
    this.#features = features;
    this.#display = display;
  }

  /** Bits of `PassFormat`: of the pass that is recorded next. */
  get passFormat(): number {
    return this.#passFormat;
  }
  set passFormat(format: number) {
    if (format === this.#passFormat) return;
    this.#passFormat = format;
    this.version++;
  }

  /** Where surfaces are lit afterwards, they are the first part, and all else is the second. */
  get parts(): number {
    return this.#surfaces ? 2 : 1;
  }

  partOf(key: number): number {
    return this.#surfaces && !isSurfaceKey(key) ? 1 : 0;
  }

  /** The shader of meshes without textures and deformers, in the current pass format: with all light that reaches surfaces. */
  get litShaderCode(): string {
    return this.#shaderCode(PLAIN_PIPELINE);
  }

  /** Outside passes: of that shader. */
  get plainModule(): ShaderModuleHandle {
    return this.#moduleWith(PLAIN_PIPELINE);
  }

  /** Of the scene colour of the current pass format. */
  get colorFormat(): GPUTextureFormat {
    return this.#display.colorFormat(this.#passFormat);
  }

  /** The forward pass draws every difference. */
  passKey(pipelineKey: number): number {
    return pipelineKey;
  }

  /** In the current pass format. */
  pipeline(key: number): GraphicsPipelineHandle {
    const index = key + this.#passFormat * 2 ** PIPELINE_KEY_BITS;
    let pipeline = this.#pipelines.get(index);
    if (pipeline === undefined) {
      pipeline = this.#create(key);
      this.#pipelines.set(index, pipeline);
    }
    return pipeline;
  }

  dispose(): void {
    for (const pipeline of this.#pipelines.values()) this.#rhi.destroy(pipeline);
    for (const module of this.#modules.values()) this.#rhi.destroy(module);
    this.#pipelines.clear();
    this.#modules.clear();
  }

  #create(key: number): GraphicsPipelineHandle {
    const primitive = primitiveState(key);
    const isTriangles = primitive.topology.startsWith('triangle');
    const isBlended = isBlendedKey(key);
    const textures = isTexturedKey(key) ? this.#scene.materials.textures : undefined;
    const fading = key & KeyBit.fading ? 'Fading' : '';
    const module = this.#moduleWith(key, textures, fading);
    const hasUnmappedTarget = (this.#passFormat & PassFormat.unmappedTarget) !== 0;
    const isUnmapped = (key & KeyBit.unmapped) !== 0;
    const surfaces = isSurfaceKey(key) ? this.#surfaces : undefined;
    const fragment: ProgrammableStage = {
      module,
      entryPoint:
        (surfaces ? 'writeSurface' : hasUnmappedTarget ? 'shadeMeshInLayers' : 'shadeMesh') + fading,
      constants: {
        alphaMode: alphaModeOf(key),
        isUnmapped: isUnmapped ? 1 : 0,
        ...lightConstants(this.#passFormat),
        ...this.#scene.materials.policy(key).constants(key, textures),
        // glTF: points and lines without normals are unlit; their normals are zero.
        mayLackNormals: isTriangles ? 0 : 1,
      },
    };
    return this.#rhi.createGraphicsPipeline({
      label: `mesh ${key.toString(16)}`,
      bindGroupLayouts: [this.#frameLayout.handle, ...(textures ? [textures.sets.layout] : [])],
      vertex: {
        module,
        entryPoint: `place${this.#scene.vertexPolicy(key).name}Vertex`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      fragment: {
        ...fragment,
        targets: surfaces
          ? surfaces.surfaceTargets
          : hasUnmappedTarget
            ? [
                colorTarget(SCENE_COLOR_FORMAT, isBlended, !isUnmapped),
                colorTarget(SCENE_COLOR_FORMAT, isBlended, isUnmapped),
              ]
            : [colorTarget(this.colorFormat, isBlended, true)],
      },
      primitive: { ...primitive, cullMode: isTriangles && !(key & KeyBit.doubleSided) ? 'back' : 'none' },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare: 'greater',
        depthWriteEnabled: !isBlended,
      },
      multisample: { count: this.#passFormat & PassFormat.multisampled ? 4 : 1 },
    });
  }

  #part<T>(part: T | undefined, bit: number): T | undefined {
    return this.#passFormat & bit ? part : undefined;
  }

  get #environment(): EnvironmentLight | undefined {
    const isOff = (this.#passFormat & PassFormat.environmentOff) !== 0;
    return isOff ? undefined : this.#part(this.#features.environment, PassFormat.environment);
  }

  get #surfaces(): DeferredRenderer | undefined {
    return this.#part(this.#features.deferred, PassFormat.deferred);
  }

  #moduleWith(key: number, textures?: MaterialTextures, fading = ''): ShaderModuleHandle {
    const { lods } = this.#scene;
    const shader = shaderOf(key);
    const parts = this.#passFormat & MODULE_PARTS;
    const label = `mesh${textures ? ', textures' : ''}${this.#scene.vertexPolicy(key).label}${shader ? `, shader ${shader}` : ''}${fading}${parts ? `, parts ${parts}` : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const code =
        this.#shaderCode(key, textures) +
        (fading && lods ? lods.shaderCode(this.#surfaces !== undefined) : '');
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }

  #shaderCode(key: number, textures?: MaterialTextures): string {
    return meshShaderCode({
      ...this.#scene.materials.policy(key).parts(key, textures),
      environment: this.#environment?.shaderCode,
      shadows: this.#part(this.#features.shadows, PassFormat.shadows)?.shaderCode,
      clusters: this.#part(this.#features.clusters, PassFormat.clusters)?.shaderCode,
      vertices: this.#scene.vertexPolicy(key).code,
      surfaces: this.#surfaces?.shaderCode,
      display: this.#display.code(this.#passFormat),
    });
  }
}

/** @param adds whether the draw adds colour and coverage here, or only hides what is behind it */
function colorTarget(format: GPUTextureFormat, isBlended: boolean, adds: boolean): GPUColorTargetState {
  if (!isBlended) return { format };
  return {
    format,
    blend: {
      color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
      alpha: { srcFactor: adds ? 'one' : 'zero', dstFactor: 'one-minus-src-alpha' },
    },
  };
}
