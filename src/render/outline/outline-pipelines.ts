import maskCode from '../../../shaders/outline-mask.wgsl?raw';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineHandle, ShaderModuleHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { KeyBit, primitiveState, SHAPE_BITS, vertexFormatOf } from '../keys/pipeline-key.js';
import { shapeKey } from '../materials/material-policy.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';

export const MASK_FORMAT = 'r8unorm';
/** Samples per pixel of the mask. The mask's edges are smooth even if the scene has one sample per pixel. */
export const MASK_SAMPLES = 4;

/**
 * Pipelines that draw the shapes of meshes into a mask, where no surface of the scene is nearer. An outlined surface is
 * compared with its own depth in the scene. The scene may have stored that depth for another point of the pixel than
 * the mask's sample. So a bias that grows with the surface's slope moves the surface towards the camera.
 */
export class OutlinePipelines implements PassPolicy {
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  readonly #modules = new Map<string, ShaderModuleHandle>();
  /** Version of the layout that the pipelines were created for. */
  #layoutVersion = -1;
  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  readonly #layout: FrameLayout;

  constructor(rhi: ImmediateContext, scene: Scene, layout: FrameLayout) {
    this.#rhi = rhi;
    this.#scene = scene;
    this.#layout = layout;
  }

  get version(): number {
    return this.#layout.version;
  }

  passKey(pipelineKey: number): number {
    const { materials } = this.#scene;
    const policy = materials.policy(pipelineKey);
    const bits = SHAPE_BITS | KeyBit.mirrored;
    return shapeKey(pipelineKey, bits, MaterialFlag.noDepthTest, materials.states, policy);
  }

  /** Returns the pipeline. The first call for a key and a layout version creates it, and must be outside passes. */
  pipeline(key: number): GraphicsPipelineHandle {
    if (this.#layoutVersion !== this.#layout.version) this.dispose();
    this.#layoutVersion = this.#layout.version;
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#create(key);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const pipeline of this.#pipelines.values()) rhi.destroy(pipeline);
    for (const module of this.#modules.values()) rhi.destroy(module);
    this.#pipelines.clear();
    this.#modules.clear();
  }

  #create(key: number): GraphicsPipelineHandle {
    const vertices = this.#scene.vertexPolicy(key);
    const { states, textures, shaders } = this.#scene.materials;
    const slots = states.slotsOf(key);
    const module = this.#moduleFor(key, vertices);
    const isInFront = (states.flagsOf(key) & MaterialFlag.noDepthTest) !== 0;
    return this.#rhi.createGraphicsPipeline({
      label: `outline ${states.nameOf(key)}`,
      bindGroupLayouts: [this.#layout.handle, ...(textures && slots ? [textures.sets.layout(slots)] : [])],
      vertex: {
        module,
        entryPoint: `place${vertices.name}Vertex`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      fragment: {
        module,
        entryPoint: 'markSurface',
        constants: { alphaMode: states.alphaModeOf(key), isUnlit: 1 },
        targets: [{ format: MASK_FORMAT }],
      },
      primitive: { ...primitiveState(key), cullMode: 'none' },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare: isInFront ? 'always' : 'greater-equal',
        depthWriteEnabled: false,
        ...(primitiveState(key).topology.startsWith('triangle') && { depthBias: 16, depthBiasSlopeScale: 1 }),
      },
      multisample: { count: MASK_SAMPLES },
      fallback: shaders?.replacedPipeline(key, (other) => this.#pipelines.get(other)),
    });
  }

  #moduleFor(key: number, vertices: VertexPolicy): ShaderModuleHandle {
    const policy = this.#scene.materials.policy(key);
    const label = `outline${policy.label(key)}${vertices.label}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const meshCode = meshShaderCode({ ...policy.sources(key), vertices: vertices.code });
      module = this.#rhi.createShaderModule({ label, code: `${meshCode}${maskCode}` });
      this.#modules.set(label, module);
    }
    return module;
  }
}
