import fogCode from '../../../shaders/fog.wgsl?raw';
import fogDensityCode from '../../../shaders/fog-density.wgsl?raw';
import sceneBehindCode from '../../../shaders/scene-behind.wgsl?raw';
import { MaterialFlag, writesDepth } from '../../proxy/materials/material-layout.js';
import type {
  BindGroupLayoutHandle,
  GraphicsPipelineHandle,
  ProgrammableStage,
  ShaderModuleHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { type DisplayColors, SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { DISPLAY_BITS, debugViewOf, lightConstants, PassFormat } from '../keys/pass-format.js';
import {
  cullModeOf,
  isTriangles,
  KeyBit,
  PIPELINE_KEY_BITS,
  PLAIN_PIPELINE,
  primitiveState,
  vertexFormatOf,
} from '../keys/pipeline-key.js';
import { meshFadingParts } from '../materials/fading.js';
import { FORWARD_FEATURES, SCENE_FEATURES } from '../materials/feature-code.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { Scene } from '../scene/scene.js';
import { addsUp, debugTarget, debugViewCode, drawsEdges } from './debug-views.js';
import { DECAL_LAYOUT, decalCode } from './decal-layout.js';
import type { FrameLayout } from './frame-bindings.js';
import type { PassShader, PassShaderPart } from './pass-shader.js';
import { weightedCode, weightedTargets } from './weighted-targets.js';

/** Bits of the pass format that change the shader code. */
const MODULE_PARTS =
  PassFormat.environment |
  PassFormat.environmentOff |
  PassFormat.ambientOcclusion |
  PassFormat.shadows |
  PassFormat.clusters |
  PassFormat.deferred |
  PassFormat.fog |
  PassFormat.decal |
  DISPLAY_BITS;

/** Flags of materials that the deferred renderer draws forward. Its lighting pass needs the depth of surfaces. */
const FORWARD_FLAGS =
  MaterialFlag.alphaBlend | MaterialFlag.unlit | MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;

const BLENDING_FLAGS = MaterialFlag.alphaBlend | MaterialFlag.additive | MaterialFlag.multiplied;

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
  /** Layouts of bind group 0 for decals, without and with ambient occlusion. */
  readonly #decalLayouts: (BindGroupLayoutHandle | undefined)[] = [];
  #decalVersion = -1;

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

  /**
   * Returns whether surfaces are written now and lit later.
   * @param format bits of `PassFormat`, as in all methods of this class
   */
  hasSurfaces(format: number): boolean {
    return this.#surfaces(format) !== undefined;
  }

  /**
   * Returns whether a draw writes a surface that is lit later. Such draws are opaque, lit triangles whose material the
   * surface targets can store.
   */
  isSurface(key: number, format: number): boolean {
    if (!this.hasSurfaces(format)) return false;
    const { states } = this.#scene.materials;
    const isForward = states.flagsOf(key) & FORWARD_FLAGS;
    return !isForward && !(states.featuresOf(key) & FORWARD_FEATURES) && isTriangles(key);
  }

  /** Returns whether the passes of a format draw a picture of the opaque scene for transmissive surfaces. */
  separatesTransmissive(format: number): boolean {
    // Colours for display cannot be lit again, and debug views show no light.
    return (format & DISPLAY_BITS) === 0 && debugViewOf(format) === 0;
  }

  /**
   * Returns whether a draw is added up with weights. Its blending is then neither additive nor multiplied, and it shows
   * no picture of the scene behind it.
   */
  isWeighted(key: number, format: number): boolean {
    if (!(format & PassFormat.weighted) || this.#showsScene(key, format)) return false;
    return (this.#scene.materials.states.flagsOf(key) & BLENDING_FLAGS) === MaterialFlag.alphaBlend;
  }

  /** Returns the mesh shader without textures and deformers, with all the lighting code of the format. */
  litShaderCode(format: number): string {
    return this.#shaderCode(PLAIN_PIPELINE, format);
  }

  /** Returns the module of `litShaderCode`. Call it outside passes. */
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
    const flags = states.flagsOf(key);
    const isTwoSided = !isTriangles(key) || (flags & MaterialFlag.doubleSided) !== 0;
    const slots = states.slotsOf(key);
    const fading = key & KeyBit.fading ? 'Fading' : '';
    const module = this.#moduleWith(key, format);
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const isUnmapped = (flags & MaterialFlag.unmapped) !== 0;
    const surfaceTargets = this.isSurface(key, format) ? this.#surfaces(format)?.surfaceTargets : undefined;
    const isWeighted = this.isWeighted(key, format);
    const isWire = drawsEdges(format) && isTriangles(key);
    const isDecal = (format & PassFormat.decal) !== 0;
    const debugView = debugViewOf(format);
    const fragment: ProgrammableStage = {
      module,
      entryPoint: `${this.#entryPoint(key, format)}${fading}`,
      constants: {
        ...(debugView ? { debugView } : {}),
        alphaMode: states.alphaModeOf(key),
        isUnmapped: isUnmapped ? 1 : 0,
        isMultiplied: flags & MaterialFlag.multiplied ? 1 : 0,
        ...lightConstants(format),
        ...(format & PassFormat.fog && { isAdditive: flags & MaterialFlag.additive ? 1 : 0 }),
        ...this.#scene.materials.policy(key).constants(key),
        // In glTF, points and lines without normals are unlit. Their normals are zero.
        mayLackNormals: isTriangles(key) ? 0 : 1,
      },
    };
    return this.#rhi.createGraphicsPipeline({
      label: `mesh ${states.nameOf(key)}`,
      bindGroupLayouts: [
        this.#frameLayoutOf(key, format),
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
          (isDecal ? decalTargets(this.colorFormat(format), hasUnmappedTarget) : undefined) ??
          (isWeighted
            ? weightedTargets(hasUnmappedTarget)
            : hasUnmappedTarget
              ? [
                  colorTarget(SCENE_COLOR_FORMAT, flags, !isUnmapped),
                  colorTarget(SCENE_COLOR_FORMAT, flags, isUnmapped),
                ]
              : [
                  debugView
                    ? debugTarget(format, this.colorFormat(format))
                    : colorTarget(this.colorFormat(format), flags, true),
                ]),
      },
      primitive: isWire
        ? { topology: 'line-list' }
        : { ...primitiveState(key), cullMode: cullModeOf(key, isTwoSided) },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare:
          isWire || flags & MaterialFlag.noDepthTest ? 'always' : isDecal ? 'greater-equal' : 'greater',
        depthWriteEnabled: !isWire && !isWeighted && !isDecal && this.#writesDepth(key, format),
        // Compilers may round the positions of both draws of a surface differently.
        ...(isDecal && { depthBias: 2, depthBiasSlopeScale: 0.1 }),
      },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
      fallback: this.#scene.materials.shaders?.replacedPipeline(key, (other) =>
        this.#pipelines.get(other + format * 2 ** PIPELINE_KEY_BITS),
      ),
    });
  }

  /**
   * Transmissive surfaces write depth even if they blend, because they are drawn before blended ones. Debug views
   * except overdraw draw blended surfaces like opaque ones.
   */
  #writesDepth(key: number, format: number): boolean {
    const flags = this.#scene.materials.states.flagsOf(key);
    const isOpaque = this.#showsScene(key, format) || (debugViewOf(format) !== 0 && !addsUp(format));
    return writesDepth(isOpaque ? flags & ~MaterialFlag.alphaBlend : flags);
  }

  #frameLayoutOf(key: number, format: number): BindGroupLayoutHandle {
    if (this.#showsScene(key, format)) return this.#frameLayout.transmissive;
    return this.isSurface(key, format) ? this.#frameLayout.handle : this.litLayout(format);
  }

  /** Returns the layout of bind group 0 of draws and passes that light surfaces. */
  litLayout(format: number): BindGroupLayoutHandle {
    if (format & PassFormat.decal) return this.decalLayout(format);
    return format & PassFormat.ambientOcclusion ? this.#frameLayout.occluded : this.#frameLayout.handle;
  }

  /** Returns the layout of bind group 0 of surfaces that are drawn again with a decal. */
  decalLayout(format: number): BindGroupLayoutHandle {
    const isOccluded = (format & PassFormat.ambientOcclusion) !== 0;
    const { version } = this.#frameLayout;
    if (version !== this.#decalVersion) this.#decalLayouts.length = 0;
    this.#decalVersion = version;
    const layout =
      this.#decalLayouts[Number(isOccluded)] ?? this.#frameLayout.further('decal', DECAL_LAYOUT, isOccluded);
    this.#decalLayouts[Number(isOccluded)] = layout;
    return layout;
  }

  #showsScene(key: number, format: number): boolean {
    const { states } = this.#scene.materials;
    return (states.featuresOf(key) & SCENE_FEATURES) !== 0 && this.separatesTransmissive(format);
  }

  /** Returns a shader part; undefined: passes of the format do not use it. */
  #passShader(part: PassShaderPart, format: number): PassShader | undefined {
    const shader = this.#passShaders.get(part);
    if (!shader || !(format & shader.passBit)) return undefined;
    return format & (shader.offBit ?? 0) ? undefined : shader;
  }

  #surfaces(format: number): PassShader | undefined {
    if (format & PassFormat.decal) return undefined;
    return this.#passShader('surfaces', format);
  }

  #moduleWith(key: number, format: number): ShaderModuleHandle {
    const fading = key & KeyBit.fading ? ', fading' : '';
    const weighted = this.isWeighted(key, format) ? ', weighted' : '';
    // All debug views share modules.
    const parts = (format & MODULE_PARTS) | (debugViewOf(format) ? PassFormat.debugView : 0);
    const material = this.#scene.materials.policy(key).label(key);
    const label = `mesh${material}${this.#scene.vertexPolicy(key).label}${fading}${weighted}${parts ? `, parts ${parts}` : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const code = `${this.#shaderCode(key, format)}${this.#addedEntryPoints(key, format)}`;
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }

  #entryPoint(key: number, format: number): string {
    if (debugViewOf(format)) return 'showDebugView';
    if (this.isSurface(key, format)) return 'writeSurface';
    const layers = format & PassFormat.unmappedTarget ? 'InLayers' : '';
    if (format & PassFormat.decal) return `shadeDecal${layers}`;
    return `${this.isWeighted(key, format) ? 'shadeWeighted' : 'shadeMesh'}${layers}`;
  }

  /** Returns the entry points that are joined to the mesh shader. */
  #addedEntryPoints(key: number, format: number): string {
    const isFading = (key & KeyBit.fading) !== 0;
    if (debugViewOf(format)) return this.#debugCode(format, isFading);
    if (format & PassFormat.decal) return decalCode(isFading);
    const fading = isFading ? meshFadingParts(this.hasSurfaces(format)) : '';
    return this.isWeighted(key, format) ? `${fading}${weightedCode(isFading)}` : fading;
  }

  #debugCode(format: number, isFading: boolean): string {
    const [shadows, clusters] = [this.#passShader('shadows', format), this.#passShader('clusters', format)];
    return debugViewCode(shadows !== undefined, clusters !== undefined, isFading);
  }

  #shaderCode(key: number, format: number): string {
    return meshShaderCode({
      ...this.#scene.materials.policy(key).sources(key),
      environment: this.#passShader('environment', format)?.shaderCode,
      // Occlusion is computed from a depth without transmissive surfaces, and their bind group lacks its texture.
      ambientOcclusion:
        this.#scene.materials.states.featuresOf(key) & SCENE_FEATURES
          ? undefined
          : this.#passShader('ambientOcclusion', format)?.shaderCode,
      showsSurfaces: debugViewOf(format) !== 0,
      shadows: this.#passShader('shadows', format)?.shaderCode,
      clusters: this.#passShader('clusters', format)?.shaderCode,
      surfaces: this.#surfaces(format)?.shaderCode,
      behind: this.#showsScene(key, format) ? sceneBehindCode : undefined,
      fog: format & PassFormat.fog ? fogDensityCode + fogCode : undefined,
      vertices: this.#scene.vertexPolicy(key).code,
      display: this.#display.code(format),
    });
  }
}

/**
 * Returns a colour target.
 * @param flags `MaterialFlag`
 * @param adds whether draws add colour and coverage to the target; otherwise they only hide the colours behind them
 */
function colorTarget(format: GPUTextureFormat, flags: number, adds: boolean): GPUColorTargetState {
  if (!(flags & MaterialFlag.alphaBlend)) return { format };
  // Additive and multiplied surfaces cover nothing, so they keep the target's alpha.
  if (flags & MaterialFlag.additive) {
    return { format, blend: { color: { srcFactor: 'src-alpha', dstFactor: 'one' }, alpha: KEPT } };
  }
  if (flags & MaterialFlag.multiplied) {
    return { format, blend: { color: { srcFactor: 'dst', dstFactor: 'one-minus-src-alpha' }, alpha: KEPT } };
  }
  return {
    format,
    blend: {
      color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
      alpha: { srcFactor: adds ? 'one' : 'zero', dstFactor: 'one-minus-src-alpha' },
    },
  };
}

/** Returns the targets of decals, which cover the colours of the surfaces beneath. Their coverage stays. */
function decalTargets(format: GPUTextureFormat, hasUnmappedTarget: boolean): GPUColorTargetState[] {
  const color = { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' } as const;
  const target = { format, blend: { color, alpha: KEPT } };
  return hasUnmappedTarget ? [target, target] : [target];
}

/** Blending that keeps the target. */
const KEPT = { srcFactor: 'zero', dstFactor: 'one' } as const;
