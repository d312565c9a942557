import { grow, growIds } from '../../core/memory/grow.js';
import { LightFlag, LightKind } from '../../proxy/commands.js';
import { GpuLight } from '../buffers/gpu-layouts.js';

/** Number of parameters of a light: see `LightStore.parameters`. */
const PARAMETERS = 7;
const at = GpuLight.at;

/** Kinds of lights that a shader needs code for, as bits. */
export enum LightCode {
  /** A directional light without shadows, whose parameters are in the view's uniforms. */
  sun = 1,
  /** Other lights without shadows. */
  loop = 2,
  /** Spot lights, with shadows or without. */
  spots = 4,
}

/** Groups of packed lights, in this order. */
enum PackedKind {
  shadowed,
  directional,
  endless,
  ranged,
}

/**
 * Stores every light of the scene (SYSTEMS R1: LightSceneInfo), and packs the lights that shine now. Units
 * are those of KHR_lights_punctual: lux for directional lights, candela for point and spot lights, metres,
 * radians. Lights are few, so each frame packs all of them again.
 */
export class LightStore {
  /** Node of each light. */
  node = new Int32Array(0);
  /** `LightKind`. */
  kind = new Uint8Array(0);
  /** `LightFlag`; 0: the light was destroyed or is hidden. */
  #flags = new Uint8Array(0);
  /**
   * Shadow views of each light for a camera's view; 0 if there are none. The upper half has their number, and the lower
   * half has the index of the first view.
   */
  shadowViews = new Uint32Array(0);
  /** Red, green, blue, intensity, range, inner cone angle, outer cone angle. */
  parameters = new Float32Array(0);
  /** Highest id ever used, plus one. */
  length = 0;
  /** `count` structures `GpuLight`. */
  packed = new Float32Array(GpuLight.words * 4);
  packedWords = new Uint32Array(this.packed.buffer);
  #before = new Uint32Array(GpuLight.words * 4);
  count = 0;
  /** Number of packed lights with shadow views, which come first. */
  shadowedCount = 0;
  /**
   * Number of packed lights that have shadow views, are directional or have no range. The lights with a range follow.
   */
  endlessCount = 0;
  #countBefore = -1;
  #codes = 0;

  /** Creates or updates a light; `numbers` holds its seven parameters from `offset` on. */
  set(light: number, node: number, kind: number, flags: number, numbers: Float32Array, offset: number): void {
    this.node = growIds(this.node, light + 1);
    this.kind = grow(this.kind, light + 1);
    this.#flags = grow(this.#flags, light + 1);
    this.shadowViews = grow(this.shadowViews, light + 1);
    this.parameters = grow(this.parameters, (light + 1) * PARAMETERS);
    if (light >= this.length) this.length = light + 1;
    this.node[light] = node;
    this.kind[light] = kind;
    this.#flags[light] = flags & LightFlag.visible ? flags : 0;
    for (let index = 0; index < PARAMETERS; index++) {
      this.parameters[light * PARAMETERS + index] = numbers[offset + index] as number;
    }
  }

  destroy(light: number): void {
    if (light < this.length) this.#flags[light] = 0;
  }

  isShining(light: number): boolean {
    return this.#flags[light] !== 0 && (this.node[light] as number) >= 0;
  }

  /**
   * Returns the kinds of lights that need shader code in the next frame, or needed it in an earlier frame. So a light
   * that blinks does not change pipelines.
   * @param shadows has the lights that may cast shadows; undefined: none
   * @returns bits of `LightCode`
   */
  codes(shadows: { has(light: number): boolean } | undefined): number {
    let codes = this.#codes;
    let hasSun = false;
    for (let light = 0; light < this.length; light++) {
      if (!this.isShining(light)) continue;
      const kind = this.kind[light] as number;
      if (kind === LightKind.spot) codes |= LightCode.spots;
      if (this.castsShadow(light) && shadows?.has(light)) continue;
      const isSun: boolean = kind === LightKind.directional && !hasSun;
      hasSun ||= isSun;
      codes |= isSun ? LightCode.sun : LightCode.loop;
    }
    return codes;
  }

  /** Per drawn frame: stores the codes for later frames. */
  keepCodes(shadows: { has(light: number): boolean } | undefined): void {
    this.#codes = this.codes(shadows);
  }

  castsShadow(light: number): boolean {
    return this.isShining(light) && ((this.#flags[light] as number) & LightFlag.castsShadow) !== 0;
  }

  /** Returns the range in metres; Infinity: unlimited. */
  range(light: number): number {
    return (this.parameters[light * PARAMETERS + 4] as number) || Infinity;
  }

  /** Returns the outer cone angle of a spot light: radians from its axis. */
  outerConeAngle(light: number): number {
    return this.parameters[light * PARAMETERS + 6] as number;
  }

  /** Removes the lights of a node that was destroyed. */
  destroyNode(node: number): void {
    for (let light = 0; light < this.length; light++) if (this.node[light] === node) this.#flags[light] = 0;
  }

  /**
   * Per frame: packs the shining lights, relative to the render origin. Lights with shadows come first, then
   * directional lights, then other lights without a range, then lights with a range. Each group is in the order of ids.
   * @param world 12 doubles per node
   * @returns whether the packed lights differ from the last frame's
   */
  pack(world: Float64Array, origin: Float64Array): boolean {
    this.count = 0;
    this.#packAll(world, origin, PackedKind.shadowed);
    this.shadowedCount = this.count;
    this.#packAll(world, origin, PackedKind.directional);
    this.#packAll(world, origin, PackedKind.endless);
    this.endlessCount = this.count;
    this.#packAll(world, origin, PackedKind.ranged);
    const words = this.count * GpuLight.words;
    let isChanged = this.count !== this.#countBefore;
    for (let index = 0; index < words; index++) {
      const word = this.packedWords[index] as number;
      if (word === this.#before[index]) continue;
      this.#before[index] = word;
      isChanged = true;
    }
    this.#countBefore = this.count;
    return isChanged;
  }

  /** Returns the `LightKind`. @param index index among the packed lights */
  kindAt(index: number): number {
    return this.packedWords[index * GpuLight.words + at.kind] as number;
  }

  #packAll(world: Float64Array, origin: Float64Array, kind: PackedKind): void {
    for (let light = 0; light < this.length; light++) {
      if (this.isShining(light) && this.#packedKind(light) === kind) this.#packLight(light, world, origin);
    }
  }

  #packedKind(light: number): PackedKind {
    if (this.shadowViews[light] !== 0) return PackedKind.shadowed;
    if (this.kind[light] === LightKind.directional) return PackedKind.directional;
    return this.range(light) === Infinity ? PackedKind.endless : PackedKind.ranged;
  }

  #packLight(light: number, world: Float64Array, origin: Float64Array): void {
    const to = this.count++ * GpuLight.words;
    if (to + GpuLight.words > this.packed.length) {
      this.packed = grow(this.packed, to + GpuLight.words);
      this.packedWords = new Uint32Array(this.packed.buffer);
      this.#before = grow(this.#before, this.packed.length);
    }
    const { packed, parameters } = this;
    const from = light * PARAMETERS;
    const matrix = (this.node[light] as number) * 12;
    const kind = this.kind[light] as number;
    const isFar = kind === LightKind.directional;
    const intensity = parameters[from + 3] as number;
    let length = 0;
    for (let axis = 0; axis < 3; axis++) {
      const row = matrix + axis * 4;
      packed[to + at.position + axis] = (world[row + 3] as number) - (origin[axis] as number);
      // Lights point along −Z of their node.
      const component = -(world[row + 2] as number);
      packed[to + at.direction + axis] = component;
      length += component * component;
      packed[to + at.intensity + axis] = (parameters[from + axis] as number) * intensity;
    }
    const inverseLength = length > 0 ? 1 / Math.sqrt(length) : 0;
    for (let axis = 0; axis < 3; axis++) {
      packed[to + at.direction + axis] = (packed[to + at.direction + axis] as number) * inverseLength;
      // A directional light has no position, so its bytes stay the same when its node moves.
      if (isFar) packed[to + at.position + axis] = -(packed[to + at.direction + axis] as number);
    }
    packed[to + at.nearness] = isFar ? 0 : 1;
    const range = isFar ? 0 : (parameters[from + 4] as number);
    packed[to + at.range] = range;
    packed[to + at.inverseSquaredRange] = range > 0 ? 1 / (range * range) : 0;
    this.packedWords[to + at.kind] = kind;
    this.packedWords[to + at.shadowViews] = this.shadowViews[light] as number;
    // The cone's falloff of KHR_lights_punctual, as a factor and an offset: one multiply-add per pixel.
    const cosInner = Math.cos(parameters[from + 5] as number);
    const cosOuter = Math.cos(parameters[from + 6] as number);
    const scale = 1 / Math.max(0.001, cosInner - cosOuter);
    packed[to + at.coneScale] = kind === LightKind.spot ? scale : 0;
    packed[to + at.coneOffset] = kind === LightKind.spot ? -cosOuter * scale : 1;
  }
}
