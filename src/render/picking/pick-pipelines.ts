import pickCode from '../../../shaders/mesh-pick.wgsl?raw';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineHandle, ShaderModuleHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { isTriangles, KeyBit, primitiveState, SHAPE_BITS, vertexFormatOf } from '../keys/pipeline-key.js';
import { shapeKey } from '../materials/material-policy.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';

export const PICK_FORMAT = 'rgba32float';
export const PICK_DEPTH_FORMAT = 'depth32float';

/**
 * Draws meshes for picking. The shader writes the primitive, and distance, texture coordinates and normal of its
 * surface. Pixels that alpha cuts out of the picture cannot be picked.
 */
export class PickPipelines implements PassPolicy {
  /** Whether pipelines were created since this flag was last set to false. */
  areNew = false;
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
    const bits = SHAPE_BITS | KeyBit.mirrored;
    const policy = materials.policy(pipelineKey);
    const flags = MaterialFlag.doubleSided | MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;
    return shapeKey(pipelineKey, bits, flags, materials.states, policy);
  }

  /** Returns the pipeline. The first call for a key creates the pipeline, so that call must be outside passes. */
  pipeline(key: number): GraphicsPipelineHandle {
    if (this.#layoutVersion !== this.#layout.version) this.dispose();
    this.#layoutVersion = this.#layout.version;
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
    for (const module of this.#modules.values()) rhi.destroy(module);
    this.#pipelines.clear();
    this.#modules.clear();
  }

  #create(key: number): GraphicsPipelineHandle {
    const vertices = this.#scene.vertexPolicy(key);
    const { states, textures } = this.#scene.materials;
    const slots = states.slotsOf(key);
    const module = this.#moduleFor(key, vertices);
    const isOneSided = isTriangles(key) && !(states.flagsOf(key) & MaterialFlag.doubleSided);
    return this.#rhi.createGraphicsPipeline({
      label: `pick ${states.nameOf(key)}`,
      bindGroupLayouts: [this.#layout.handle, ...(textures && slots ? [textures.sets.layout(slots)] : [])],
      vertex: {
        module,
        entryPoint: `place${vertices.name}Picked`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      fragment: {
        module,
        entryPoint: 'identify',
        constants: { alphaMode: states.alphaModeOf(key), isUnlit: 1 },
        targets: [{ format: PICK_FORMAT }, { format: PICK_FORMAT }],
      },
      primitive: { ...primitiveState(key), cullMode: isOneSided ? 'back' : 'none' },
      depthStencil: {
        format: PICK_DEPTH_FORMAT,
        depthCompare: states.flagsOf(key) & MaterialFlag.noDepthTest ? 'always' : 'greater',
        depthWriteEnabled: (states.flagsOf(key) & MaterialFlag.noDepthWrite) === 0,
      },
      fallback: this.#scene.materials.shaders?.replacedPipeline(key, (other) => this.#pipelines.get(other)),
    });
  }

  #moduleFor(key: number, vertices: VertexPolicy): ShaderModuleHandle {
    const policy = this.#scene.materials.policy(key);
    const label = `pick${policy.label(key)}${vertices.label}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const meshCode = meshShaderCode({ ...policy.sources(key), vertices: vertices.code });
      const code = `${meshCode}${pickCode}${vertices.pickCode}`;
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }
}
