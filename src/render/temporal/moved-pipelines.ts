import { MaterialFlag } from '../../proxy/materials/material-layout.js';
import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  type ShaderModuleHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { BILLBOARD_TOPOLOGY } from '../geometry/billboard-vertices.js';
import { vertexBufferLayouts } from '../geometry/vertex-layouts.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import {
  cullModeOf,
  isTriangles,
  KeyBit,
  primitiveState,
  SHAPE_BITS,
  topologyNumberOf,
  vertexFormatOf,
} from '../keys/pipeline-key.js';
import { FADING_CODE, NO_FADING_CODE } from '../materials/fading.js';
import { SCENE_FEATURES } from '../materials/feature-code.js';
import { shapeKey } from '../materials/material-policy.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';
import { movedCode } from './moved-code.js';

/** Format of motion: pixels right, pixels down, nearness in this frame, nearness in the last frame. */
export const MOTION_FORMAT = 'rgba16float';

/** Bindings of the last frame's data in bind group 0 (`shaders/motion.wgsl`). */
export enum MovedBinding {
  view = 21,
  poses = 22,
}

const MOVED_LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  {
    binding: MovedBinding.view,
    visibility: ShaderStage.vertex | ShaderStage.fragment,
    buffer: { type: 'uniform' },
  },
  { binding: MovedBinding.poses, visibility: ShaderStage.vertex, buffer: { type: 'read-only-storage' } },
];

/** Flags of materials whose motion is not drawn. Their pixels keep the motion of the opaque surface behind them. */
const SKIPPED_FLAGS = MaterialFlag.alphaBlend | MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;

/** Pipelines that draw the motion of opaque surfaces. All views of a world share them. */
export class MovedPipelines implements PassPolicy {
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** Shader modules by label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();
  #bindingLayout: BindGroupLayoutHandle | undefined;
  /** Version of the frame's layouts with which the pipelines were created. */
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

  passKey(key: number): number {
    const { materials } = this.#scene;
    const { states } = materials;
    const isSkipped =
      (states.flagsOf(key) & SKIPPED_FLAGS) !== 0 ||
      (states.featuresOf(key) & SCENE_FEATURES) !== 0 ||
      !isTriangles(key) ||
      topologyNumberOf(key) === BILLBOARD_TOPOLOGY;
    if (isSkipped) return -1;
    const bits = SHAPE_BITS | KeyBit.mirrored | KeyBit.fading;
    return shapeKey(key, bits, MaterialFlag.doubleSided, states, materials.policy(key));
  }

  /** Layout of bind group 0: the frame's entries, and `MovedBinding`. */
  get bindingLayout(): BindGroupLayoutHandle {
    this.#followLayout();
    this.#bindingLayout ??= this.#layout.further('frame, motion', MOVED_LAYOUT, false);
    return this.#bindingLayout;
  }

  pipeline(key: number): GraphicsPipelineHandle {
    this.#followLayout();
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

  /** If the frame's layouts have changed, destroys pipelines and modules, and forgets the layout of bind group 0. */
  #followLayout(): void {
    if (this.#layoutVersion === this.#layout.version) return;
    this.#layoutVersion = this.#layout.version;
    this.#bindingLayout = undefined;
    this.dispose();
  }

  #create(key: number): GraphicsPipelineHandle {
    const { states, textures } = this.#scene.materials;
    const vertices = this.#scene.vertexPolicy(key);
    const slots = states.slotsOf(key);
    const module = this.#moduleFor(key, vertices);
    const hasHoles = (states.flagsOf(key) & MaterialFlag.alphaMask) !== 0 || (key & KeyBit.fading) !== 0;
    return this.#rhi.createGraphicsPipeline({
      label: `motion ${states.nameOf(key)}`,
      bindGroupLayouts: [this.bindingLayout, ...(textures && slots ? [textures.sets.layout(slots)] : [])],
      vertex: {
        module,
        entryPoint: `placeMoved${vertices.name}Vertex`,
        buffers: vertexBufferLayouts(vertexFormatOf(key)),
      },
      fragment: {
        module,
        entryPoint: 'writeMotion',
        constants: { hasHoles: hasHoles ? 1 : 0, alphaMode: states.alphaModeOf(key) },
        targets: [{ format: MOTION_FORMAT }],
      },
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
    const label = `motion${policy.label(key)}${vertices.label}${isFading ? ', fading' : ''}`;
    let module = this.#modules.get(label);
    if (module === undefined) {
      const mesh = meshShaderCode({ ...policy.sources(key), vertices: vertices.code });
      const code = movedCode(`${mesh}${isFading ? FADING_CODE : NO_FADING_CODE}`, vertices.label !== '');
      module = this.#rhi.createShaderModule({ label, code });
      this.#modules.set(label, module);
    }
    return module;
  }
}
