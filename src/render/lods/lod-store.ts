import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID, PrimitiveFlag } from '../../proxy/commands.js';
import { FADE_SHIFT, GpuPrimitive, GpuPrimitiveFlag } from '../buffers/gpu-layouts.js';
import type { DrawStates } from '../keys/draw-states.js';
import { KeyBit } from '../keys/pipeline-key.js';
import type { Scene } from '../scene/scene.js';
import type { SceneLods } from '../scene/scene-feature.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import { type LodSphere, sizeInView } from './lod-size.js';

interface Lods {
  readonly geometries: Int32Array;
  /** Sizes of the levels, as shares of the view's height, in descending order. */
  readonly sizes: Float32Array;
  /** null: the sphere around the first geometry. */
  readonly sphere: LodSphere | null;
  /** Primitive that shows the coarser level while two levels fade; −1: none. */
  partner: number;
}

/**
 * A level fades while the size lies between the level's own size and this factor times it. The next finer
 * level's size limits that range.
 */
const FADE = 1.15;
/** Number of steps of a fade. The 8 bits of a fade would allow 255. */
const STEPS = 64;
/** Factor from steps to the 8 bits of a fade. */
const STEP_BITS = 4;
const FADE_MASK = (0xff << FADE_SHIFT) | GpuPrimitiveFlag.isCoarser;
const NONE = -1;
/** Words of a primitive that hold its own colour, if it has one. */
const COLOR_WORDS = [GpuPrimitive.at.palette, GpuPrimitive.at.morph];

/**
 * Draws meshes that look small with simpler geometry. Per frame and primitive, the size of a sphere around it chooses
 * the geometry. The size is measured in the active camera's view. Without an active camera, it is measured in the first
 * added view with a camera. All views of a frame and all shadows show the same geometry.
 *
 *   diameter ÷ height of the view at that distance │ 0.5 ──►      0.1 ──►      0 │
 *   geometry                                       │  0  │ 0 + 1 │  1  │ 1+2 │ 2 │ −1: not drawn, below the last size
 *
 * Just above a level's size, that level and the next coarser level are drawn. The finer level covers a share
 * of the pixels that falls to 0, and the coarser level covers the other pixels. The fade depends on the size
 * only, so it is the same after a restart, and nothing fades while nothing moves. The coarser level is drawn
 * by a primitive that the store creates, the *partner*. If the game takes the partner's id, the store creates
 * another partner.
 */
export class LodStore implements SceneLods {
  readonly #scene: Scene;
  /** Levels of detail by primitive. */
  readonly #all = new Map<number, Lods>();
  /** Fade bits of the flags, by primitive that fades. */
  readonly #fades = new Map<number, number>();
  /** Primitive that each partner belongs to. */
  readonly #owners = new Map<number, number>();
  readonly #freePartners: number[] = [];
  /** Pipeline keys, without fading, whose fading pipelines are expected. */
  readonly #warmKeys = new Set<number>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Executes the reader's current record. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const count = words[at + 1] as number;
    const node = words[at + 3 + count * 2] as number;
    const sphere = at + 5 + count * 2;
    this.#all.set(words[at] as number, {
      geometries: Int32Array.from(words.subarray(at + 2, at + 2 + count)),
      sizes: floats.slice(at + 3 + count, at + 3 + count * 2),
      sphere: node === NO_ID ? null : { node, numbers: floats.slice(sphere, sphere + 4) },
      partner: NONE,
    });
  }

  /** Removes the levels of a primitive that was replaced or destroyed. */
  detach(primitive: number): void {
    const owner = this.#owners.get(primitive);
    if (owner !== undefined) {
      // The game has taken the partner's id. The next update creates another partner.
      this.#owners.delete(primitive);
      this.#fades.delete(primitive);
      const lods = this.#all.get(owner);
      if (lods?.partner === primitive) lods.partner = NONE;
      return;
    }
    const lods = this.#all.get(primitive);
    if (!lods) return;
    this.#all.delete(primitive);
    this.#fades.delete(primitive);
    this.#removePartner(lods);
  }

  /** Returns the fade of a primitive, as bits of `Primitive.flags`. */
  fadeOf(primitive: number): number {
    return this.#fades.get(primitive) ?? 0;
  }

  /** Per changed primitive: returns the key with which it is drawn. @param key key without fading */
  keyOf(primitive: number, key: number, drawStates: DrawStates): number {
    // The fading pipeline is created together with the first pipeline, so it exists when a fade begins.
    if (this.#all.has(primitive) && !this.#warmKeys.has(key)) {
      this.#warmKeys.add(key);
      drawStates.expect(key | KeyBit.fading);
    }
    return this.#fades.has(primitive) ? key | KeyBit.fading : key;
  }

  /** Per pick: removes partners from `bits`, because a pick shows only the finer of two levels. */
  clearPartners(bits: Uint32Array): void {
    for (const partner of this.#owners.keys()) {
      bits[partner >>> 5] = (bits[partner >>> 5] as number) & ~(1 << (partner & 31));
    }
  }

  /** Whether partners exist. The game does not know partners, only the primitives to which they belong. */
  get hasPartners(): boolean {
    return this.#owners.size > 0;
  }

  /** Per frame, after nodes have been propagated: chooses the level of each primitive. */
  update(view: ViewParameters | undefined): void {
    for (const [primitive, lods] of this.#all) {
      const { sizes, geometries, sphere } = lods;
      const geometry = geometries[0] as number;
      const size = view
        ? sizeInView(this.#scene, primitive, geometry, sphere, view)
        : Number.POSITIVE_INFINITY;
      let level = 0;
      while (level < sizes.length && size < (sizes[level] as number)) level++;
      const finer = this.#geometryAt(lods, level);
      const coarser = this.#geometryAt(lods, level + 1);
      const steps = finer === coarser ? STEPS : shareOf(sizes, level, size);
      this.#show(primitive, lods, finer, coarser, steps);
    }
  }

  #geometryAt({ geometries, sizes }: Lods, level: number): number {
    return level < sizes.length ? (geometries[level] as number) : NONE;
  }

  /** Shows one level, or two that fade. @param steps the finer level's share of the pixels, in steps */
  #show(primitive: number, lods: Lods, finer: number, coarser: number, steps: number): void {
    const scene = this.#scene;
    const isFading = steps < STEPS;
    const fade = (steps * STEP_BITS) << FADE_SHIFT;
    // If one of the two levels draws nothing, the other needs no partner.
    const isAlone = finer < 0 && isFading;
    scene.setGeometry(primitive, isAlone ? coarser : finer);
    this.#setFade(primitive, !isFading ? 0 : isAlone ? fade | GpuPrimitiveFlag.isCoarser : fade);
    if (!isFading || isAlone || coarser < 0) {
      this.#removePartner(lods);
      return;
    }
    this.#updatePartner(primitive, lods, coarser);
    this.#setFade(lods.partner, fade | GpuPrimitiveFlag.isCoarser);
  }

  /** Creates or updates the partner, with the primitive's node, material, flags, layers, skin and colour. */
  #updatePartner(primitive: number, lods: Lods, geometry: number): void {
    const scene = this.#scene;
    const { primitives } = scene;
    const node = primitives.node[primitive] as number;
    const material = primitives.material[primitive] as number;
    const flags = primitives.flags[primitive] as number;
    const layers = primitives.layers[primitive] as number;
    const before = lods.partner;
    if (before < 0 || primitives.node[before] !== node || !primitives.has(before)) {
      this.#removePartner(lods);
      const partner = this.#freePartner();
      scene.createPrimitive(partner, node, geometry, material, flags, layers);
      scene.deformers?.lendSkin(primitive, partner);
      this.#lendColor(primitive, partner, flags);
      this.#owners.set(partner, primitive);
      lods.partner = partner;
      return;
    }
    scene.setGeometry(before, geometry);
    this.#lendColor(primitive, before, flags);
    const isSame =
      primitives.material[before] === material &&
      primitives.flags[before] === flags &&
      primitives.layers[before] === layers;
    if (!isSame) scene.updatePrimitive(before, material, flags, layers);
  }

  #lendColor(primitive: number, partner: number, flags: number): void {
    if (!(flags & PrimitiveFlag.colored)) return;
    const { gpuScene } = this.#scene;
    for (const offset of COLOR_WORDS) {
      const word = gpuScene.word(primitive, offset);
      if (word !== gpuScene.word(partner, offset)) gpuScene.setWord(partner, offset, word);
    }
  }

  #freePartner(): number {
    const { primitives } = this.#scene;
    for (let free = this.#freePartners.pop(); free !== undefined; free = this.#freePartners.pop()) {
      if (!primitives.has(free)) return free;
    }
    return primitives.length;
  }

  #removePartner(lods: Lods): void {
    const { partner } = lods;
    if (partner < 0) return;
    lods.partner = NONE;
    this.#owners.delete(partner);
    this.#setFade(partner, 0);
    this.#scene.destroyPrimitive(partner);
    this.#freePartners.push(partner);
  }

  #setFade(primitive: number, fade: number): void {
    const before = this.fadeOf(primitive);
    if (fade === before) return;
    const scene = this.#scene;
    if (fade === 0) this.#fades.delete(primitive);
    else this.#fades.set(primitive, fade);
    scene.gpuScene.setWord(primitive, GpuPrimitive.at.flags, fade, FADE_MASK);
    scene.primitives.markChanged(primitive);
    if (fade === 0 || before === 0) scene.primitiveChanged(primitive);
  }
}

/**
 * Returns the finer level's share of the pixels in steps, at least one. `STEPS` means that the level does not
 * fade.
 */
function shareOf(sizes: Float32Array, level: number, size: number): number {
  const end = sizes[level] as number;
  if (!(end > 0)) return STEPS;
  const next = level > 0 ? (sizes[level - 1] as number) : Number.POSITIVE_INFINITY;
  const begin = Math.min(end * FADE, next);
  if (size >= begin || begin <= end) return STEPS;
  return Math.min(Math.max(Math.floor(((size - end) / (begin - end)) * STEPS), 1), STEPS - 1);
}
