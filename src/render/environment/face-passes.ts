import type {
  GraphBuffer,
  GraphPass,
  GraphTexture,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type ResourceHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import type { EnvironmentPipelines, FaceShader } from './environment-pipelines.js';

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
  /** Colour of the ground and turbidity, for an atmosphere. */
  readonly air?: readonly number[];
  /** Factor on the drawn colour; default 1. */
  readonly weight?: number;
  /** Whether the colour is added to the target; default: the colour replaces the old colour. */
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

/** A texture that several passes write in turn. */
export interface EnvironmentTexture {
  /** The texture's newest version in this frame. */
  version: GraphTexture;
}

/**
 * Resources that the passes of one drawing of an environment share. They are created in the frame that draws the
 * environment. The last of the passes destroys them, but not the pipelines.
 */
export class FaceResources {
  readonly rhi: ImmediateContext;
  readonly pipelines: EnvironmentPipelines;
  readonly #kept: ResourceHandle[] = [];
  readonly #faces: Face[] = [];
  #slots: BufferHandle | undefined;

  constructor(rhi: ImmediateContext, pipelines: EnvironmentPipelines) {
    this.rhi = rhi;
    this.pipelines = pipelines;
  }

  /** Adds a face. @returns the number of its slot */
  addFace(face: Face): number {
    return this.#faces.push(face) - 1;
  }

  /**
   * Buffer with one slot per face, the structure `Face` of environment-cube.wgsl. The first read creates the buffer, so
   * it must happen outside passes, after all faces have been added.
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
      const { face, size, roughness, sourceSize, toSun, samples, rotation, air } = slot;
      const at = index * SLOT_FLOATS;
      words[at] = face;
      floats[at + 1] = size;
      floats[at + 2] = roughness ?? 0;
      floats[at + 3] = sourceSize ?? size;
      floats.set(toSun ?? [0, 1, 0], at + 4);
      words[at + 7] = samples ?? 0;
      floats.set(rotation ?? [0, 0, 0, 1], at + 8);
      if (air) floats.set(air, at + 12);
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
    const { rhi, slots, pipelines } = this.#resources;
    const source = this.#source;
    const { pipeline, layout } = pipelines.forFaces(this.#shader, source);
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
          { binding: 0, buffer: slots, byteOffset: this.#slot * UNIFORM_SLOT_BYTES, byteLength: 64 },
          { binding: 1, sampler: pipelines.sampler },
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
