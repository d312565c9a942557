import castersCode from '../../../shaders/shadow-casters.wgsl?raw';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import {
  type BindGroupEntry,
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  type GraphicsPipelineHandle,
  type ShaderModuleHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuMaterial, GpuPrimitive, GpuPrimitiveFlag, GpuView } from '../buffers/gpu-layouts.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import { staticVertices, type VertexPolicy } from '../geometry/vertex-policy.js';
import { KeyBit, primitiveState, SHAPE_BITS, vertexFormatOf } from '../keys/pipeline-key.js';
import { FADING_CODE, NO_FADING_CODE } from '../materials/fading.js';
import { shapeKey } from '../materials/material-policy.js';
import { TEXTURE_ALPHA_CODE } from '../materials/texture-slots.js';
import type { FrameExtension, FrameLayout } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';

export const SHADOW_FORMAT = 'depth32float';

/**
 * Draws meshes into shadow maps: only depth, and both sides of every triangle. Pixels that alpha cuts out
 * cast no shadow. A caster whose custom shader moves vertices or cuts out pixels is drawn with the shader
 * code of meshes (`mesh.wgsl`). The light's view then replaces the camera's.
 */
export class CasterPipelines implements PassPolicy {
  version = 0;
  /** Whether pipelines were created since this flag was last set to false. */
  areNew = false;
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** Shader modules by label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();
  #groupLayout: BindGroupLayoutHandle | undefined;
  #clearing: GraphicsPipelineHandle | undefined;

  /** Resources that vertex policies read. They have the same bindings as in bind group 0 of the scene. */
  extensions: readonly FrameExtension[] = [];

  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  readonly #frameLayout: FrameLayout;
  #layoutVersion = -1;

  /** @param frameLayout layout of bind group 0 of the scene */
  constructor(rhi: ImmediateContext, scene: Scene, frameLayout: FrameLayout) {
    this.#rhi = rhi;
    this.#scene = scene;
    this.#frameLayout = frameLayout;
  }

  /**
   * Per frame, outside passes: destroys all pipelines, shader modules and layouts if vertex policies read
   * more resources than before. They are created again when they are needed.
   */
  update(): void {
    const { version } = this.#frameLayout;
    if (version === this.#layoutVersion) return;
    this.#layoutVersion = version;
    const extensions = this.#frameLayout.extensions.filter(isReadByVertices);
    if (extensions.length === this.extensions.length) return;
    this.dispose();
    this.extensions = extensions;
    this.version++;
  }

  passKey(pipelineKey: number): number {
    const { materials } = this.#scene;
    const { states } = materials;
    const castsShadow =
      !states.isBlended(pipelineKey) && this.#scene.vertexPolicy(pipelineKey).casterCode !== undefined;
    if (!castsShadow) return -1;
    return shapeKey(pipelineKey, SHAPE_BITS | KeyBit.fading, 0, states, materials.policy(pipelineKey));
  }

  /**
   * Layout of bind group 0: 0 the view (uniform) │ 1 primitives │ 2 instances │ 3 materials │ from 13 on,
   * resources of vertex policies
   */
  get groupLayout(): BindGroupLayoutHandle {
    const storage = { type: 'read-only-storage' } as const;
    this.#groupLayout ??= this.#rhi.createBindGroupLayout({
      label: 'shadow casters',
      entries: [
        { binding: 0, visibility: BOTH_STAGES, buffer: { type: 'uniform' } },
        { binding: 1, visibility: BOTH_STAGES, buffer: storage },
        { binding: 2, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 3, visibility: BOTH_STAGES, buffer: storage },
        ...this.extensions.flatMap(({ layout }) => layout),
      ],
    });
    return this.#groupLayout;
  }

  /** Increases when a resource that `createGroup` adds is replaced. */
  get resourcesVersion(): number {
    const { gpuScene, materials } = this.#scene;
    let version = this.version + gpuScene.version + materials.version;
    for (const extension of this.extensions) version += extension.version;
    return version;
  }

  /** Creates bind group 0. @param view the structure `View` of the map @param instances instances of the map's pass */
  createGroup(view: Omit<BindGroupEntry, 'binding'>, instances: BufferHandle): BindGroupHandle {
    const { gpuScene, materials } = this.#scene;
    return this.#rhi.createBindGroup({
      label: 'shadow casters',
      layout: this.groupLayout,
      entries: [
        { binding: 0, ...view } as BindGroupEntry,
        { binding: 1, buffer: gpuScene.buffer },
        { binding: 2, buffer: instances },
        { binding: 3, buffer: materials.buffer },
        ...this.extensions.flatMap(({ entries }) => entries),
      ],
    });
  }

  /** Pipeline that fills the viewport with the far depth. */
  get clearing(): GraphicsPipelineHandle {
    this.#clearing ??= this.#rhi.createGraphicsPipeline({
      label: 'clear a shadow map',
      bindGroupLayouts: [],
      vertex: { module: this.#moduleFor(0, staticVertices), entryPoint: 'coverMap' },
      depthStencil: { format: SHADOW_FORMAT, depthCompare: 'always', depthWriteEnabled: true },
    });
    return this.#clearing;
  }

  pipeline(key: number): GraphicsPipelineHandle {
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#create(key);
      this.#pipelines.set(key, pipeline);
      this.areNew = true;
    }
    return pipeline;
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const pipeline of this.#pipelines.values()) rhi.destroy(pipeline);
    this.#pipelines.clear();
    for (const module of this.#modules.values()) rhi.destroy(module);
    this.#modules.clear();
    for (const resource of [this.#clearing, this.#groupLayout]) rhi.destroy(resource);
    this.#clearing = this.#groupLayout = undefined;
  }

  #create(key: number): GraphicsPipelineHandle {
    const { states, textures } = this.#scene.materials;
    const isMasked = (states.flagsOf(key) & MaterialFlag.alphaMask) !== 0;
    const slots = states.slotsOf(key);
    const isFading = (key & KeyBit.fading) !== 0;
    const hasHoles = isMasked || isFading;
    const vertices = this.#scene.vertexPolicy(key);
    const module = this.#moduleFor(key, vertices);
    const hasShader = states.shaderOf(key) !== 0;
    return this.#rhi.createGraphicsPipeline({
      label: `shadow caster ${states.nameOf(key)}`,
      bindGroupLayouts: [this.groupLayout, ...(textures && slots ? [textures.sets.layout(slots)] : [])],
      vertex: {
        module,
        entryPoint: `place${vertices.name}${hasShader ? 'Vertex' : hasHoles ? 'Masked' : 'Caster'}`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      ...(hasHoles && {
        fragment: {
          module,
          ...(hasShader
            ? { entryPoint: 'cutOutSurface', constants: { alphaMode: states.alphaModeOf(key) } }
            : { entryPoint: 'cutOut', constants: { isMasked: isMasked ? 1 : 0 } }),
          targets: [],
        },
      }),
      primitive: primitiveState(key),
      depthStencil: { format: SHADOW_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
      fallback: this.#scene.materials.shaders?.replacedPipeline(key, (other) => this.#pipelines.get(other)),
    });
  }

  /** Returns the shader module. @param key 0: opaque primitives without textures */
  #moduleFor(key: number, vertices: VertexPolicy): ShaderModuleHandle {
    const { materials } = this.#scene;
    const shader = materials.states.shaderOf(key);
    const isTextured = materials.states.slotsOf(key) !== 0;
    const isFading = (key & KeyBit.fading) !== 0;
    const label = `${isTextured ? 'textured ' : ''}${isFading ? 'fading ' : ''}shadow casters${vertices.label}${shader ? `, shader ${shader}` : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const fading = isFading ? FADING_CODE : NO_FADING_CODE;
      const code =
        (shader && materials.shaders?.casterCode(key, vertices, fading)) ||
        castersShaderCode(isTextured, vertices, fading);
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }
}

/** Returns the code of casters whose shape depends only on the engine's own code. */
const castersShaderCode = (isTextured: boolean, { casterCode }: VertexPolicy, fading: string): string =>
  [
    GpuView.wgsl,
    GpuPrimitive.wgsl,
    GpuMaterial.wgsl,
    `const PRIMITIVE_COLORED = ${GpuPrimitiveFlag.colored}u;\n`,
    castersCode,
    isTextured ? TEXTURE_ALPHA_CODE : PLAIN,
    fading,
    casterCode,
  ].join('');

const BOTH_STAGES = ShaderStage.vertex | ShaderStage.fragment;

const isReadByVertices = ({ layout }: FrameExtension): boolean =>
  layout[0]?.visibility === ShaderStage.vertex;

const PLAIN = 'fn textureAlpha(slot: u32, uv: vec4f) -> f32 { return 1.0; }';
