import surfaceCode from '../../../shaders/material-shader.wgsl?raw';
import castersCode from '../../../shaders/material-shader-casters.wgsl?raw';
import vertexCode from '../../../shaders/material-shader-vertex.wgsl?raw';
import { RhiError } from '../../core/errors.js';
import { grow } from '../../core/memory/grow.js';
import { stringAt } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { MaterialFlag, ShaderFeature } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { VertexPolicy } from '../geometry/vertex-policy.js';
import { type MaterialStates, SHADER_RANGE } from '../keys/material-states.js';
import type { PrimitiveStore } from '../scene/primitive-store.js';
import { PLAIN_REFLECTION } from './feature-code.js';
import type { MaterialPolicy } from './material-policy.js';
import type { MaterialTable } from './material-table.js';
import { meshShaderCode } from './mesh-shader.js';

interface MaterialShader {
  readonly code: string;
  readonly textureCount: number;
  /** `ShaderFeature`. */
  readonly features: number;
  /** Types of varyings, as `packVaryings` returns them. */
  readonly varyings: number;
  /** Number of the shader that this one has replaced while the page ran; 0: none. */
  readonly replaced: number;
}

/**
 * Custom shaders of materials: WGSL that sets the positions of vertices and the appearance of surfaces before
 * lighting. Materials with equal code share one shader. A shader keeps its number as long as the renderer exists,
 * because pipelines are cached by this number.
 *
 *   custom WGSL, its uniforms and textures (`shader-material.ts`) ──────────┬─ material-shader.wgsl ─► `applyMaterial` ┐
 *                                                                           └─ …-vertex.wgsl ─► `movedVertex` ─────────┤
 *   picture, picks: mesh.wgsl and both functions ◄─────────────────────────────────────────────────────────────────────┤
 *   shadow maps, if the shader decides shapes: these and material-shader-casters.wgsl ◄────────────────────────────────┘
 */
export class MaterialShaders implements MaterialPolicy {
  /** Shaders by number; 0 is the engine's shader. */
  readonly #shaders: (MaterialShader | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number>();
  /** Longest distance that each material moves a vertex, in the object's space. */
  #displacements = new Float32Array(0);
  readonly #materials: MaterialTable;
  readonly #states: MaterialStates;

  constructor(materials: MaterialTable) {
    this.#materials = materials;
    this.#states = materials.states;
  }

  /** Executes `setMaterialShader`. @throws RhiError `limit-exceeded` */
  execute({ words, floats, fields: at }: StreamReader): void {
    const material = words[at] as number;
    const shader = this.add(
      stringAt(words, at, 5),
      words[at + 1] as number,
      words[at + 2] as number,
      words[at + 3] as number,
      this.#materials.shader[material] ?? 0,
    );
    this.#materials.setShader(material, shader);
    this.setDisplacement(material, floats[at + 4] as number);
  }

  /**
   * Adds a shader, unless a shader with equal code exists.
   * @param features `ShaderFeature`
   * @param varyings types of varyings, as `packVaryings` returns them
   * @param replaced number of the material's shader before; 0: none
   * @returns the shader's number
   * @throws RhiError `limit-exceeded`
   */
  add(code: string, textureCount: number, features: number, varyings = 0, replaced = 0): number {
    // Lines with the name of a material (`//# …`) are not part of the key. Errors are reported under the name of the
    // first material.
    const key = code.replace(/^\/\/# .*$/gm, '');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#shaders.length;
    if (number >= SHADER_RANGE) {
      throw new RhiError(
        'limit-exceeded',
        `Materials have more than ${SHADER_RANGE - 1} different shaders, which is the maximum. The material is drawn without its shader. Change uniforms instead of code.`,
      );
    }
    const movesVertices = (features & ShaderFeature.vertex) !== 0;
    if (movesVertices) this.#materials.shapeCount++;
    this.#shaders.push({
      code: [
        code,
        features & ShaderFeature.surface ? '' : NO_SURFACE,
        surfaceCode,
        movesVertices ? vertexCode : '',
        PLAIN_REFLECTION,
      ].join(''),
      textureCount,
      features,
      varyings,
      replaced,
    });
    this.#numbers.set(key, number);
    return number;
  }

  /** Sets the longest distance that a material's code moves a vertex, in the object's space. */
  setDisplacement(material: number, displacement: number): void {
    this.#displacements = grow(this.#displacements, material + 1);
    this.#displacements[material] = displacement;
  }

  /** Returns the material's displacement; 0 if no custom shader moves its vertices. */
  displacement(material: number): number {
    return this.#materials.shader[material] ? (this.#displacements[material] as number) : 0;
  }

  /** Returns the shader's WGSL. A shader that reads textures is not used until the first image is loaded. */
  sources(key: number): ReturnType<MaterialPolicy['sources']> {
    const shader = this.#shaders[this.#states.shaderOf(key)];
    if (!shader || (!this.#states.slotsOf(key) && shader.textureCount > 0)) return {};
    const { code: material, features, varyings } = shader;
    return { material, movesVertices: (features & ShaderFeature.vertex) !== 0, varyings };
  }

  label(key: number): string {
    return `${this.#states.slotsOf(key) ? ', textures' : ''}, shader ${this.#states.shaderOf(key)}`;
  }

  constants(key: number): Record<string, number> {
    return { isUnlit: this.#states.flagsOf(key) & MaterialFlag.unlit ? 1 : 0 };
  }

  /** Returns whether the shader decides the shape: it moves vertices or cuts out pixels. */
  decidesShape(key: number): boolean {
    const isMasked = (this.#states.flagsOf(key) & MaterialFlag.alphaMask) !== 0;
    return isMasked || (this.#features(key) & ShaderFeature.vertex) !== 0;
  }

  /** Returns the shader for shadow maps. @param fading WGSL of `isFadedOut` */
  casterCode(key: number, vertices: VertexPolicy, fading: string): string {
    const sources = { ...this.sources(key), vertices: vertices.code };
    return `${meshShaderCode(sources)}${fading}${castersCode}`;
  }

  /**
   * Marks casters whose shape depends on the time as changed. Called in each frame whose scene time differs from the
   * last frame's.
   */
  markTimed(primitives: PrimitiveStore): void {
    const { states, state } = this.#materials;
    const { casterBits, changedBits, material, length } = primitives;
    const words = (length + 31) >>> 5;
    for (let word = 0; word < words; word++) {
      for (let rest = casterBits[word] as number; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest;
        const id = state[material[(word << 5) + 31 - Math.clz32(lowest)] as number] as number;
        const { features = 0 } = this.#shaders[states.shader[id] as number] ?? {};
        const isMasked = ((states.flags[id] as number) & MaterialFlag.alphaMask) !== 0;
        if (!(features & ShaderFeature.time) || !(isMasked || features & ShaderFeature.vertex)) continue;
        changedBits[word] = (changedBits[word] as number) | lowest;
        primitives.haveChanged = true;
      }
    }
  }

  /**
   * Returns the pipeline of the shader that a key's shader has replaced. Draws use it if the new code does not compile.
   * @param find returns the pipeline of a key, if it exists
   */
  replacedPipeline(
    key: number,
    find: (key: number) => GraphicsPipelineHandle | undefined,
  ): GraphicsPipelineHandle | undefined {
    // The loop ends, because a shader has a greater number than the one that it replaced.
    let number = this.#shaders[this.#states.shaderOf(key)]?.replaced ?? 0;
    for (; number > 0; number = this.#shaders[number]?.replaced ?? 0) {
      const replaced = this.#states.withShader(key, number);
      const pipeline = replaced < 0 ? undefined : find(replaced);
      if (pipeline !== undefined) return pipeline;
    }
    return undefined;
  }

  /** Returns the number of textures that a shader reads. */
  textureCount(number: number): number {
    return this.#shaders[number]?.textureCount ?? 0;
  }

  #features(key: number): number {
    return this.#shaders[this.#states.shaderOf(key)]?.features ?? 0;
  }
}

const NO_SURFACE = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}\n';
