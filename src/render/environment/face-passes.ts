import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import cubeCode from '../../../shaders/environment-cube.wgsl?raw';
import filterCode from '../../../shaders/environment-filter.wgsl?raw';
import sunShareCode from '../../../shaders/environment-sun-share.wgsl?raw';
import type {
  GraphBuffer,
  GraphPass,
  GraphTexture,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type SamplerHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuIrradiance } from '../buffers/gpu-layouts.js';
import { UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import { CUBE_FORMAT } from './cube-format.js';

/** Blending that adds the drawn colour, times the pass's weight, to the target. */
const WEIGHTED_SUM = { srcFactor: 'constant', dstFactor: 'one', operation: 'add' } as const;

const FILTER_CODE = `${GpuIrradiance.wgsl}${sunShareCode}${filterCode}`;

const SLOT_FLOATS = UNIFORM_SLOT_BYTES / 4;

/** Quaternion xyzw that rotates a direction to the direction in which a cube stores its light. */
export type Rotation = readonly [number, number, number, number];

/** Target of a pass: one face of one mip level. */
export interface Face {
  readonly level: number;
  readonly face: number;
  readonly size: number;
  /** Roughness of the lobe that is averaged. */
  readonly roughness?: number;
  readonly sourceSize?: number;
  readonly toSun?: readonly [number, number, number];
  readonly samples?: number;
  /** Rotation of the source cube; default: none. */
  readonly rotation?: Rotation;
  /** Factor on the drawn colour; default 1. */
  readonly weight?: number;
  /** Whether the colour is added to the target; default: the colour replaces the old one. */
  readonly isAdded?: boolean;
}

/** Source that the shader reads. Computed environments have no source. */
export interface FaceSource {
  /** Holds the newest version of the source. */
  readonly texture: EnvironmentTexture;
  readonly isCube: boolean;
  /** The only mip level that is read; default: all. */
  readonly level?: number;
  /** Holds the newest version of the irradiance, which includes the sun. */
  readonly sun?: { readonly irradiance: GraphBuffer };
}

/**
 * Shader of a pass: an entry point of the filter, which reads a cube, or code that draws a face of a source.
 */
export type FaceShader =
  | { readonly entryPoint: 'halve' | 'halveWithoutSun' | 'blur' }
  | { readonly code: string };

/** A texture that several passes write in turn. */
export interface EnvironmentTexture {
  /** The newest version of this frame. */
  version: GraphTexture;
}

/**
 * Resources that the passes of one environment share. They are created in the frame that draws the
 * environment, and destroyed at the end of that frame.
 */
export class FaceResources {
  readonly rhi: ImmediateContext;
  readonly sampler: SamplerHandle;
  readonly #kept: ResourceHandle[] = [];
  readonly #faces: Face[] = [];
  #slots: BufferHandle | undefined;
  readonly #pipelines = new Map<
    string,
    { pipeline: GraphicsPipelineHandle; layout: BindGroupLayoutHandle }
  >();

  constructor(rhi: ImmediateContext) {
    this.rhi = rhi;
    this.sampler = this.keep(
      rhi.createSampler({
        label: 'environment faces',
        magFilter: 'linear',
        minFilter: 'linear',
        mipmapFilter: 'linear',
        addressModeU: 'repeat',
      }),
    );
  }

  /** Adds a face. @returns the number of its slot */
  addFace(face: Face): number {
    return this.#faces.push(face) - 1;
  }

  /**
   * Buffer with one slot per face, the structure `Face` of environment-cube.wgsl. The first read creates it,
   * outside passes, after all faces have been added.
   */
  get slots(): BufferHandle {
    this.#slots ??= this.#makeSlots();
    return this.#slots;
  }

  keep<T extends ResourceHandle>(resource: T): T {
    this.#kept.push(resource);
    return resource;
  }

  destroy(): void {
    for (const resource of this.#kept.reverse()) this.rhi.destroy(resource);
    this.#kept.length = 0;
  }

  #makeSlots(): BufferHandle {
    const floats = new Float32Array(this.#faces.length * SLOT_FLOATS);
    const words = new Uint32Array(floats.buffer);
    for (const [index, slot] of this.#faces.entries()) {
      const { face, size, roughness, sourceSize, toSun, samples, rotation } = slot;
      const at = index * SLOT_FLOATS;
      words[at] = face;
      floats[at + 1] = size;
      floats[at + 2] = roughness ?? 0;
      floats[at + 3] = sourceSize ?? size;
      floats.set(toSun ?? [0, 1, 0], at + 4);
      words[at + 7] = samples ?? 0;
      floats.set(rotation ?? [0, 0, 0, 1], at + 8);
    }
    const slots = this.keep(
      this.rhi.createBuffer({
        label: 'environment faces',
        byteLength: floats.byteLength,
        usage: BufferUsage.uniform | BufferUsage.copyTarget,
      }),
    );
    this.rhi.writeBuffer(slots, 0, floats);
    return slots;
  }

  pipelineFor(shader: FaceShader, source: FaceSource | undefined) {
    const isFilter = 'entryPoint' in shader;
    const key = isFilter ? shader.entryPoint : shader.code;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const { rhi } = this;
    const visibility = ShaderStage.fragment;
    const viewDimension = source?.isCube ? 'cube' : '2d';
    const layout = this.keep(
      rhi.createBindGroupLayout({
        label: 'environment faces',
        entries: [
          { binding: 0, visibility, buffer: { type: 'uniform' } },
          { binding: 1, visibility, sampler: {} },
          ...(source ? [{ binding: 2, visibility, texture: { viewDimension } } as const] : []),
          ...(source?.sun ? [{ binding: 3, visibility, buffer: { type: 'uniform' } } as const] : []),
        ],
      }),
    );
    const module = this.keep(
      rhi.createShaderModule({
        label: 'environment faces',
        code: `${facesCode}${cubeCode}${isFilter ? FILTER_CODE : shader.code}`,
      }),
    );
    const pipeline = this.keep(
      rhi.createGraphicsPipeline({
        label: 'environment faces',
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'coverFace' },
        fragment: {
          module,
          entryPoint: isFilter ? shader.entryPoint : 'drawFace',
          targets: [{ format: CUBE_FORMAT, blend: { color: WEIGHTED_SUM, alpha: WEIGHTED_SUM } }],
        },
      }),
    );
    const made = { pipeline, layout };
    this.#pipelines.set(key, made);
    return made;
  }
}

/** Draws one face of one mip level of a cube texture. */
export class FacePass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #resources: FaceResources;
  readonly #shader: FaceShader;
  readonly #face: Face;
  readonly #target: EnvironmentTexture;
  readonly #source: FaceSource | undefined;
  readonly #slot: number;
  #bindGroup: BindGroupHandle | undefined;
  #pipeline: GraphicsPipelineHandle | undefined;

  constructor(
    resources: FaceResources,
    shader: FaceShader,
    face: Face,
    target: EnvironmentTexture,
    what: string,
    source?: FaceSource,
  ) {
    this.name = `environment, ${what}, level ${face.level}, face ${face.face}`;
    this.#resources = resources;
    this.#shader = shader;
    this.#face = face;
    this.#target = target;
    this.#source = source;
    this.#slot = resources.addFace(face);
  }

  setup(builder: PassBuilder): void {
    const { level, face, isAdded } = this.#face;
    const source = this.#source;
    if (source) {
      const where = source.level === undefined ? undefined : { mipLevel: source.level };
      builder.read(source.texture.version, 'sampled', where);
      if (source.sun) builder.read(source.sun.irradiance, 'uniform');
    }
    const where = { mipLevel: level, layer: face };
    const target = this.#target;
    target.version = builder.color(target.version, isAdded ? where : { ...where, clear: [0, 0, 0, 0] });
  }

  prepare(context: PassContext): void {
    const { rhi, slots, sampler } = this.#resources;
    const source = this.#source;
    const { pipeline, layout } = this.#resources.pipelineFor(this.#shader, source);
    this.#pipeline = pipeline;
    const view = source && {
      texture: context.texture(source.texture.version),
      ...(source.isCube && { dimension: 'cube' as const }),
      ...(source.level !== undefined && { baseMipLevel: source.level, mipLevelCount: 1 }),
    };
    this.#bindGroup = this.#resources.keep(
      rhi.createBindGroup({
        label: this.name,
        layout,
        entries: [
          { binding: 0, buffer: slots, byteOffset: this.#slot * UNIFORM_SLOT_BYTES, byteLength: 48 },
          { binding: 1, sampler },
          ...(view ? [{ binding: 2, view }] : []),
          ...(source?.sun ? [{ binding: 3, buffer: context.buffer(source.sun.irradiance) }] : []),
        ],
      }),
    );
  }

  execute({ rhi }: PassContext): void {
    const { weight = 1 } = this.#face;
    rhi.setGraphicsPipeline(this.#pipeline as GraphicsPipelineHandle);
    rhi.setBlendFactor(weight, weight, weight, weight);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }
}
