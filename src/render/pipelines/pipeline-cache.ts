import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type {
  GraphicsPipelineHandle,
  ProgrammableStage,
  ShaderModuleHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { type DisplayColors, SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { DISPLAY_BITS, lightConstants, PassFormat } from '../keys/pass-format.js';
import {
  isTriangles,
  KeyBit,
  PIPELINE_KEY_BITS,
  PLAIN_PIPELINE,
  primitiveState,
  vertexFormatOf,
} from '../keys/pipeline-key.js';
import { meshFadingParts } from '../materials/fading.js';
import { FORWARD_FEATURES } from '../materials/feature-code.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { Scene } from '../scene/scene.js';
import type { FrameLayout } from './frame-bindings.js';
import type { PassShader, PassShaderPart } from './pass-shader.js';

/** Bits of the pass format that change the shader code. */
const MODULE_PARTS =
  PassFormat.environment |
  PassFormat.environmentOff |
  PassFormat.shadows |
  PassFormat.clusters |
  PassFormat.deferred |
  DISPLAY_BITS;

export const SCENE_DEPTH_FORMAT = 'depth32float';

/**
 * Pipelines of the scene, one per pipeline key (`pipeline-key.ts`) and pass format. Each view has a pass
 * format of its own (`view-pipelines.ts`). Materials with the same features share a shader module. Other
 * differences are `override` constants, which the driver folds.
 *
 *   material state ─► policy ─► WGSL of its features ─┐
 *   vertex policy ─► WGSL that places vertices ───────┼─► mesh shader ─► module, by label ─► pipeline
 *   pass format ─► WGSL of pass shaders ──────────────┘
 */
export class PipelineCache {
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** Shader modules by label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();

  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #scene: Scene;
  readonly #display: DisplayColors;
  readonly #passShaders = new Map<PassShaderPart, PassShader>();

  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, scene: Scene, display: DisplayColors) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#scene = scene;
    this.#display = display;
  }

  /** Adds a shader part. Passes whose format has the part's bit use it from now on. */
  add(shader: PassShader): void {
    this.#passShaders.set(shader.part, shader);
  }

  /** Returns whether surfaces are written now and lit later. @param format bits of `PassFormat`, as everywhere here */
  hasSurfaces(format: number): boolean {
    return this.#surfaces(format) !== undefined;
  }

  /** Returns whether a draw writes a surface that is lit later: an opaque, lit triangle of a storable material. */
  isSurface(key: number, format: number): boolean {
    if (!this.hasSurfaces(format)) return false;
    const { states } = this.#scene.materials;
    const isForward = states.flagsOf(key) & (MaterialFlag.alphaBlend | MaterialFlag.unlit);
    return !isForward && !(states.featuresOf(key) & FORWARD_FEATURES) && isTriangles(key);
  }

  /** Shader of meshes without textures and deformers. It includes all lights that reach surfaces. */
  litShaderCode(format: number): string {
    return this.#shaderCode(PLAIN_PIPELINE, format);
  }

  /** Module of `litShaderCode`. Call it outside passes. */
  plainModule(format: number): ShaderModuleHandle {
    return this.#moduleWith(PLAIN_PIPELINE, format);
  }

  /** Returns the format of scene colour. */
  colorFormat(format: number): GPUTextureFormat {
    return this.#display.colorFormat(format);
  }

  pipeline(key: number, format: number): GraphicsPipelineHandle {
    const index = key + format * 2 ** PIPELINE_KEY_BITS;
    let pipeline = this.#pipelines.get(index);
    if (pipeline === undefined) {
      pipeline = this.#create(key, format);
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

  #create(key: number, format: number): GraphicsPipelineHandle {
    const { states, textures } = this.#scene.materials;
    const isTwoSided = !isTriangles(key) || (states.flagsOf(key) & MaterialFlag.doubleSided) !== 0;
    const isBlended = states.isBlended(key);
    const slots = states.slotsOf(key);
    const fading = key & KeyBit.fading ? 'Fading' : '';
    const module = this.#moduleWith(key, format);
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const isUnmapped = (states.flagsOf(key) & MaterialFlag.unmapped) !== 0;
    const surfaceTargets = this.isSurface(key, format) ? this.#surfaces(format)?.surfaceTargets : undefined;
    const fragment: ProgrammableStage = {
      module,
      entryPoint:
        (surfaceTargets ? 'writeSurface' : hasUnmappedTarget ? 'shadeMeshInLayers' : 'shadeMesh') + fading,
      constants: {
        alphaMode: states.alphaModeOf(key),
        isUnmapped: isUnmapped ? 1 : 0,
        ...lightConstants(format),
        ...this.#scene.materials.policy(key).constants(key),
        // In glTF, points and lines without normals are unlit. Their normals are zero.
        mayLackNormals: isTriangles(key) ? 0 : 1,
      },
    };
    return this.#rhi.createGraphicsPipeline({
      label: `mesh ${states.nameOf(key)}`,
      bindGroupLayouts: [
        this.#frameLayout.handle,
        ...(textures && slots ? [textures.sets.layout(slots)] : []),
      ],
      vertex: {
        module,
        entryPoint: `place${this.#scene.vertexPolicy(key).name}Vertex`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      fragment: {
        ...fragment,
        targets:
          surfaceTargets ??
          (hasUnmappedTarget
            ? [
                colorTarget(SCENE_COLOR_FORMAT, isBlended, !isUnmapped),
                colorTarget(SCENE_COLOR_FORMAT, isBlended, isUnmapped),
              ]
            : [colorTarget(this.colorFormat(format), isBlended, true)]),
      },
      primitive: { ...primitiveState(key), cullMode: isTwoSided ? 'none' : 'back' },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare: 'greater',
        depthWriteEnabled: !isBlended,
      },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
    });
  }

  /** Returns a shader part; undefined: passes of the format do not use it. */
  #passShader(part: PassShaderPart, format: number): PassShader | undefined {
    const shader = this.#passShaders.get(part);
    if (!shader || !(format & shader.passBit)) return undefined;
    return format & (shader.offBit ?? 0) ? undefined : shader;
  }

  #surfaces(format: number): PassShader | undefined {
    return this.#passShader('surfaces', format);
  }

  #moduleWith(key: number, format: number): ShaderModuleHandle {
    const isFading = (key & KeyBit.fading) !== 0;
    const parts = format & MODULE_PARTS;
    const material = this.#scene.materials.policy(key).label(key);
    const label = `mesh${material}${this.#scene.vertexPolicy(key).label}${isFading ? ', fading' : ''}${parts ? `, parts ${parts}` : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const code = `${this.#shaderCode(key, format)}${isFading ? meshFadingParts(this.hasSurfaces(format)) : ''}`;
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }

  #shaderCode(key: number, format: number): string {
    return meshShaderCode({
      ...this.#scene.materials.policy(key).sources(key),
      environment: this.#passShader('environment', format)?.shaderCode,
      shadows: this.#passShader('shadows', format)?.shaderCode,
      clusters: this.#passShader('clusters', format)?.shaderCode,
      surfaces: this.#surfaces(format)?.shaderCode,
      vertices: this.#scene.vertexPolicy(key).code,
      display: this.#display.code(format),
    });
  }
}

/**
 * Returns a colour target.
 * @param adds whether draws add colour and coverage to it, or only hide what is behind
 */
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
