import facesCode from '../../../shaders/cube-faces.wgsl?raw';
import cubeCode from '../../../shaders/environment-cube.wgsl?raw';
import filterCode from '../../../shaders/environment-filter.wgsl?raw';
import {
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type SamplerHandle,
  ShaderStage,
  type TextureHandle,
  type TextureViewDescriptor,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { UNIFORM_SLOT_BYTES } from '../gpu-struct.js';
import { CUBE_FORMAT } from './cube-format.js';

/** What is drawn, times the pass's weight, is added to what is there. */
const WEIGHTED_SUM = { srcFactor: 'constant', dstFactor: 'one', operation: 'add' } as const;

const SLOT_FLOATS = UNIFORM_SLOT_BYTES / 4;

/** What a pass draws: one face of one mip level. */
export interface FacePass {
  readonly target: TextureHandle;
  readonly level: number;
  readonly face: number;
  readonly size: number;
  /** Of the lobe that is averaged over. */
  readonly roughness?: number;
  /** Read by the shader; what is computed reads nothing. */
  readonly source?: TextureViewDescriptor;
  readonly sourceSize?: number;
  readonly toSun?: readonly [number, number, number];
  readonly samples?: number;
  /** Factor on what is drawn; default 1. */
  readonly weight?: number;
  /** To what is there; default: in its place. */
  readonly isAdded?: boolean;
}

/** Which shader: those of the filter read a cube, and those given as code draw a face of the source. */
export type FaceShader =
  | { readonly entryPoint: 'halve' | 'blur' }
  | { readonly code: string; readonly isCube?: boolean };

/**
 * Draws faces of cube textures, one render pass each. What they are told lies in one buffer, a slot per pass, written
 * before the first. Everything is made for one environment and destroyed behind it.
 */
export class FacePasses {
  readonly #rhi: ImmediateContext;
  readonly #made: ResourceHandle[] = [];
  readonly #sampler: SamplerHandle;
  readonly #passes: { readonly shader: FaceShader; readonly pass: FacePass }[] = [];
  readonly #pipelines = new Map<
    string,
    { pipeline: GraphicsPipelineHandle; layout: BindGroupLayoutHandle }
  >();

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    this.#sampler = this.#keep(
      rhi.createSampler({
        label: 'environment faces',
        magFilter: 'linear',
        minFilter: 'linear',
        mipmapFilter: 'linear',
        addressModeU: 'repeat',
      }),
    );
  }

  /** Adds all six faces of a mip level. */
  add(shader: FaceShader, pass: Omit<FacePass, 'face'>): void {
    for (let face = 0; face < 6; face++) this.#passes.push({ shader, pass: { ...pass, face } });
  }

  /** Outside passes: records them all, and destroys what they needed. */
  record(): void {
    const rhi = this.#rhi;
    const slots = this.#keep(
      rhi.createBuffer({
        label: 'environment faces',
        byteLength: this.#passes.length * UNIFORM_SLOT_BYTES,
        usage: BufferUsage.uniform | BufferUsage.copyTarget,
      }),
    );
    this.#writeSlots(slots);
    for (const [index, { shader, pass }] of this.#passes.entries()) {
      this.#recordPass(shader, pass, slots, index * UNIFORM_SLOT_BYTES);
    }
    for (const resource of this.#made.reverse()) rhi.destroy(resource);
    this.#made.length = this.#passes.length = 0;
    this.#pipelines.clear();
  }

  /** The structure `Face` of environment-cube.wgsl. */
  #writeSlots(slots: BufferHandle): void {
    const floats = new Float32Array(this.#passes.length * SLOT_FLOATS);
    const words = new Uint32Array(floats.buffer);
    for (const [index, { pass }] of this.#passes.entries()) {
      const at = index * SLOT_FLOATS;
      words[at] = pass.face;
      floats[at + 1] = pass.size;
      floats[at + 2] = pass.roughness ?? 0;
      floats[at + 3] = pass.sourceSize ?? pass.size;
      floats.set(pass.toSun ?? [0, 1, 0], at + 4);
      words[at + 7] = pass.samples ?? 0;
    }
    this.#rhi.writeBuffer(slots, 0, floats);
  }

  #recordPass(shader: FaceShader, pass: FacePass, slots: BufferHandle, byteOffset: number): void {
    const rhi = this.#rhi;
    const label = `environment, level ${pass.level}, face ${pass.face}`;
    const { pipeline, layout } = this.#pipelineFor(shader, pass.source);
    const bindGroup = this.#keep(
      rhi.createBindGroup({
        label,
        layout,
        entries: [
          { binding: 0, buffer: slots, byteOffset, byteLength: 32 },
          { binding: 1, sampler: this.#sampler },
          ...(pass.source ? [{ binding: 2, view: pass.source }] : []),
        ],
      }),
    );
    rhi.beginRenderPass({
      label,
      colorAttachments: [
        {
          view: {
            texture: pass.target,
            dimension: '2d',
            baseMipLevel: pass.level,
            mipLevelCount: 1,
            baseArrayLayer: pass.face,
            arrayLayerCount: 1,
          },
          loadOp: pass.isAdded ? 'load' : 'clear',
          storeOp: 'store',
        },
      ],
    });
    const { weight = 1 } = pass;
    rhi.setGraphicsPipeline(pipeline);
    rhi.setBlendFactor(weight, weight, weight, weight);
    rhi.setBindGroup(0, bindGroup);
    rhi.draw(3);
    rhi.endRenderPass();
  }

  #pipelineFor(shader: FaceShader, source: TextureViewDescriptor | undefined) {
    const isFilter = 'entryPoint' in shader;
    const isCube = isFilter || shader.isCube;
    const key = isFilter ? shader.entryPoint : shader.code;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const rhi = this.#rhi;
    const layout = this.#keep(
      rhi.createBindGroupLayout({
        label: 'environment faces',
        entries: [
          { binding: 0, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
          { binding: 1, visibility: ShaderStage.fragment, sampler: {} },
          ...(source
            ? [
                {
                  binding: 2,
                  visibility: ShaderStage.fragment,
                  texture: { viewDimension: isCube ? ('cube' as const) : ('2d' as const) },
                },
              ]
            : []),
        ],
      }),
    );
    const module = this.#keep(
      rhi.createShaderModule({
        label: 'environment faces',
        code: `${facesCode}${cubeCode}${isFilter ? filterCode : shader.code}`,
      }),
    );
    const pipeline = this.#keep(
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

  #keep<T extends ResourceHandle>(resource: T): T {
    this.#made.push(resource);
    return resource;
  }
}
