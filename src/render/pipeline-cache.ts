import { TOPOLOGIES } from '../proxy/commands.js';
import { MaterialFlag } from '../proxy/material-layout.js';
import { VertexFormat, vertexAttributeOffset, vertexStride } from '../proxy/vertex-format.js';
import type {
  BindGroupLayoutHandle,
  GraphicsPipelineHandle,
  ProgrammableStage,
  ShaderModuleHandle,
} from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { MaterialTable } from './material-table.js';
import type { MaterialTextures } from './material-textures.js';
import { meshShaderCode } from './mesh-shader.js';

/**
 * Pipelines of the forward pass, one per *pipeline key*: everything about a primitive that a pipeline fixes, as
 * bits. One shader serves all without textures and one all with; their variants are `override` constants, which the driver
 * folds away.
 *
 *   bit   0–2 vertex format │ 3–5 topology │ 6 double-sided │ 7 mirrored │ 8–9 alpha mode │ 10 unlit │
 *         11 textured │ 12 normal-mapped │ 13 unmapped
 *
 * What all draws of a pass agree on is its *pass format*, bits above the key: 0 four samples │ 1 unmapped target.
 */
export const PIPELINE_KEY_BITS = 14;
const TOPOLOGY_SHIFT = 3;
const DOUBLE_SIDED = 1 << 6;
const MIRRORED = 1 << 7;
const ALPHA_SHIFT = 8;
const UNLIT = 1 << 10;
const TEXTURED = 1 << 11;
const NORMAL_MAPPED = 1 << 12;
const UNMAPPED = 1 << 13;

/** Bits of a pass format. */
export const PassFormat = {
  /** Four samples per pixel instead of one. */
  multisampled: 1,
  /** Colours that tone mapping leaves alone have a target of their own. */
  unmappedTarget: 2,
} as const;

/** Opaque triangles, lit, without textures: the key whose bits are all 0. */
export const PLAIN_PIPELINE = 0;

/** Values of `alphaMode` in the key and the shader. */
const AlphaMode = { opaque: 0, mask: 1, blend: 2 } as const;

export const SCENE_COLOR_FORMAT = 'rgba16float';
export const SCENE_DEPTH_FORMAT = 'depth32float';

/** Per changed primitive: packs what its pipeline depends on. */
export function pipelineKey(
  vertexFormat: number,
  topology: number,
  materialFlags: number,
  isMirrored: number,
  textureSet: number,
  isNormalMapped: number,
): number {
  const alphaMode =
    materialFlags & MaterialFlag.alphaBlend
      ? AlphaMode.blend
      : materialFlags & MaterialFlag.alphaMask
        ? AlphaMode.mask
        : AlphaMode.opaque;
  const isUnlit = (materialFlags & MaterialFlag.unlit) !== 0;
  return (
    vertexFormat |
    (topology << TOPOLOGY_SHIFT) |
    (materialFlags & MaterialFlag.doubleSided ? DOUBLE_SIDED : 0) |
    (isMirrored ? MIRRORED : 0) |
    (alphaMode << ALPHA_SHIFT) |
    (isUnlit ? UNLIT : 0) |
    (textureSet ? TEXTURED : 0) |
    (isNormalMapped && !isUnlit ? NORMAL_MAPPED : 0) |
    (materialFlags & MaterialFlag.unmapped ? UNMAPPED : 0)
  );
}

/** True when draws with this key are blended, and so sorted back to front. */
export function isBlendedKey(key: number): boolean {
  return ((key >> ALPHA_SHIFT) & 3) === AlphaMode.blend;
}

export class PipelineCache {
  /** Bits of `PassFormat`: of the pass that is recorded next. */
  passFormat: number;
  readonly #pipelines = new Map<number, GraphicsPipelineHandle>();
  /** By label. */
  readonly #modules = new Map<string, ShaderModuleHandle>();

  readonly #rhi: ImmediateContext;
  readonly #frameLayout: () => BindGroupLayoutHandle;
  readonly #materials: MaterialTable;

  constructor(
    rhi: ImmediateContext,
    passFormat: number,
    frameLayout: () => BindGroupLayoutHandle,
    materials: MaterialTable,
  ) {
    this.#rhi = rhi;
    this.passFormat = passFormat;
    this.#frameLayout = frameLayout;
    this.#materials = materials;
  }

  /** The pipeline for a key, in the current pass format; it is created when first asked for, which must be outside passes. */
  get(key: number): GraphicsPipelineHandle {
    const index = key | (this.passFormat << PIPELINE_KEY_BITS);
    let pipeline = this.#pipelines.get(index);
    if (pipeline === undefined) {
      pipeline = this.#create(key);
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

  #create(key: number): GraphicsPipelineHandle {
    const topology = TOPOLOGIES[(key >> TOPOLOGY_SHIFT) & 7] ?? 'triangle-list';
    const isTriangles = topology.startsWith('triangle');
    const isStrip = topology.endsWith('strip');
    const alphaMode = (key >> ALPHA_SHIFT) & 3;
    const isBlended = isBlendedKey(key);
    const isDoubleSided = (key & DOUBLE_SIDED) !== 0;
    const textures = key & TEXTURED ? this.#materials.textures : undefined;
    const module = this.#moduleWith(textures);
    const hasUnmappedTarget = (this.passFormat & PassFormat.unmappedTarget) !== 0;
    const isUnmapped = (key & UNMAPPED) !== 0;
    const fragment: ProgrammableStage = {
      module,
      entryPoint: hasUnmappedTarget ? 'shadeMeshInLayers' : 'shadeMesh',
      constants: {
        alphaMode,
        isUnmapped: isUnmapped ? 1 : 0,
        isUnlit: key & UNLIT ? 1 : 0,
        // glTF: points and lines without normals are unlit; their normals are zero.
        mayLackNormals: isTriangles ? 0 : 1,
        ...(textures && {
          isNormalMapped: key & NORMAL_MAPPED ? 1 : 0,
          hasTangents: key & VertexFormat.tangents ? 1 : 0,
        }),
      },
    };
    return this.#rhi.createGraphicsPipeline({
      label: `mesh ${key.toString(16)}`,
      bindGroupLayouts: [this.#frameLayout(), ...(textures ? [textures.sets.layout] : [])],
      vertex: { module, entryPoint: 'placeVertex', buffers: vertexBufferLayouts(key & 7) },
      fragment: {
        ...fragment,
        targets: hasUnmappedTarget
          ? [colorTarget(isBlended, !isUnmapped), colorTarget(isBlended, isUnmapped)]
          : [colorTarget(isBlended, true)],
      },
      primitive: {
        topology,
        // A mirrored transform turns the winding around.
        frontFace: key & MIRRORED ? 'cw' : 'ccw',
        cullMode: isTriangles && !isDoubleSided ? 'back' : 'none',
        ...(isStrip ? { stripIndexFormat: 'uint32' } : {}),
      },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare: 'greater',
        depthWriteEnabled: !isBlended,
      },
      multisample: { count: this.passFormat & PassFormat.multisampled ? 4 : 1 },
    });
  }

  #moduleWith(textures: MaterialTextures | undefined): ShaderModuleHandle {
    const label = textures ? 'textured mesh' : 'mesh';
    let module = this.#modules.get(label);
    if (module === undefined) {
      module = this.#rhi.createShaderModule({ label, code: meshShaderCode(textures?.shaderCode) });
      this.#modules.set(label, module);
    }
    return module;
  }
}

/** @param adds whether the draw adds colour and coverage here, or only hides what is behind it */
function colorTarget(isBlended: boolean, adds: boolean): GPUColorTargetState {
  if (!isBlended) return { format: SCENE_COLOR_FORMAT };
  return {
    format: SCENE_COLOR_FORMAT,
    blend: {
      color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
      alpha: { srcFactor: adds ? 'one' : 'zero', dstFactor: 'one-minus-src-alpha' },
    },
  };
}

/** Bytes of the buffer that stands in for missing attributes: tangent, second texture coordinates, colour. */
export const DEFAULT_ATTRIBUTES = /* @__PURE__ */ new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1]);

/** Buffer 0 holds the vertices; buffer 1, of stride 0, what their format lacks. */
export function vertexBufferLayouts(vertexFormat: number): GPUVertexBufferLayout[] {
  const own: GPUVertexAttribute[] = [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x3' },
    { shaderLocation: 2, offset: 24, format: 'float32x2' },
  ];
  const constant: GPUVertexAttribute[] = [];
  const add = (bit: number, shaderLocation: number, format: GPUVertexFormat, constantOffset: number) => {
    if (vertexFormat & bit)
      own.push({ shaderLocation, offset: vertexAttributeOffset(vertexFormat, bit), format });
    else constant.push({ shaderLocation, offset: constantOffset, format });
  };
  add(VertexFormat.tangents, 3, 'float32x4', 0);
  add(VertexFormat.uv1, 4, 'float32x2', 16);
  add(VertexFormat.colors, 5, 'float32x4', 32);
  return [
    { arrayStride: vertexStride(vertexFormat), attributes: own },
    { arrayStride: 0, attributes: constant },
  ];
}
