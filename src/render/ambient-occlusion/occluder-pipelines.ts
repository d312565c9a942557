import castersCode from '../../../shaders/material-shader-casters.wgsl?raw';
import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineHandle, ShaderModuleHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import {
  cullModeOf,
  isTriangles,
  KeyBit,
  primitiveState,
  SHAPE_BITS,
  vertexFormatOf,
} from '../keys/pipeline-key.js';
import { FADING_CODE, NO_FADING_CODE } from '../materials/fading.js';
import { SCENE_FEATURES } from '../materials/feature-code.js';
import { shapeKey } from '../materials/material-policy.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { type PipelineCache, SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';

/** Flags of materials whose surfaces occlude nothing: they blend, ignore depth, or write no depth. */
const OPEN_FLAGS = MaterialFlag.alphaBlend | MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;

/** Pipelines that draw the depth of opaque surfaces as the camera sees them. All views of a world share them. */
export class OccluderPipelines {
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** Shader modules by label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();
  /** Version of the layout that the pipelines were created for. */
  #layoutVersion = -1;
  readonly #rhi: ImmediateContext;
  readonly #scene: Scene;
  readonly #layout: FrameLayout;
  readonly #meshes: PipelineCache;

  constructor(rhi: ImmediateContext, scene: Scene, layout: FrameLayout, meshes: PipelineCache) {
    this.#rhi = rhi;
    this.#scene = scene;
    this.#layout = layout;
    this.#meshes = meshes;
  }

  /**
   * Returns how a view draws occluders.
   * @param format pass format of the view. The policy leaves out surfaces that the deferred renderer stores, because
   * their depth exists already.
   */
  policy(format: number): PassPolicy {
    const layout = this.#layout;
    return {
      get version(): number {
        return layout.version;
      },
      passKey: (key) => (this.#meshes.isSurface(key, format) ? -1 : this.#passKey(key)),
      pipeline: (key) => this.#pipeline(key),
    };
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const pipeline of this.#pipelines.values()) rhi.destroy(pipeline);
    for (const module of this.#modules.values()) rhi.destroy(module);
    this.#pipelines.clear();
    this.#modules.clear();
  }

  #passKey(key: number): number {
    const { materials } = this.#scene;
    const { states } = materials;
    const isOpen =
      (states.flagsOf(key) & OPEN_FLAGS) !== 0 ||
      (states.featuresOf(key) & SCENE_FEATURES) !== 0 ||
      !isTriangles(key);
    if (isOpen) return -1;
    const bits = SHAPE_BITS | KeyBit.mirrored | KeyBit.fading;
    return shapeKey(key, bits, MaterialFlag.doubleSided, states, materials.policy(key));
  }

  #pipeline(key: number): GraphicsPipelineHandle {
    if (this.#layoutVersion !== this.#layout.version) this.dispose();
    this.#layoutVersion = this.#layout.version;
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#create(key);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  #create(key: number): GraphicsPipelineHandle {
    const { states, textures } = this.#scene.materials;
    const vertices = this.#scene.vertexPolicy(key);
    const slots = states.slotsOf(key);
    const module = this.#moduleFor(key, vertices);
    const hasHoles = (states.flagsOf(key) & MaterialFlag.alphaMask) !== 0 || (key & KeyBit.fading) !== 0;
    return this.#rhi.createGraphicsPipeline({
      label: `occluder ${states.nameOf(key)}`,
      bindGroupLayouts: [this.#layout.handle, ...(textures && slots ? [textures.sets.layout(slots)] : [])],
      vertex: {
        module,
        entryPoint: `place${vertices.name}Vertex`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      ...(hasHoles && {
        fragment: {
          module,
          entryPoint: 'cutOutSurface',
          constants: { alphaMode: states.alphaModeOf(key) },
          targets: [],
        },
      }),
      primitive: {
        ...primitiveState(key),
        cullMode: cullModeOf(key, (states.flagsOf(key) & MaterialFlag.doubleSided) !== 0),
      },
      depthStencil: { format: SCENE_DEPTH_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
    });
  }

  #moduleFor(key: number, vertices: VertexPolicy): ShaderModuleHandle {
    const policy = this.#scene.materials.policy(key);
    const isFading = (key & KeyBit.fading) !== 0;
    const label = `occluders${policy.label(key)}${vertices.label}${isFading ? ', fading' : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const meshCode = meshShaderCode({ ...policy.sources(key), vertices: vertices.code });
      const code = `${meshCode}${isFading ? FADING_CODE : NO_FADING_CODE}${castersCode}`;
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }
}
