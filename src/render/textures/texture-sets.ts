import { RhiError } from '../../core/errors.js';
import { TEXTURE_SLOT_DECLARATIONS, TEXTURE_SLOTS } from '../../proxy/materials/material-layout.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type SamplerHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { TextureStore } from './texture-store.js';

/** For each slot: whether a flat normal replaces a missing texture. */
const holdsNormals = /* @__PURE__ */ TEXTURE_SLOTS.map(
  (slot) => TEXTURE_SLOT_DECLARATIONS[slot].isNormal === true,
);

interface TextureSet {
  readonly key: string;
  readonly textures: readonly number[];
  /** Bound slots, as bits. */
  readonly slots: number;
  users: number;
  bindGroup: BindGroupHandle | undefined;
}

/**
 * One bind group per distinct combination of textures. All materials that use the combination share it, so
 * that draws of different materials with the same textures merge. Sets are numbered from 1. Set 0 means no
 * textures and has no bind group. Each set counts the materials that use it. Bind groups are created with the
 * next frame.
 */
export class TextureSets {
  readonly #sets: (TextureSet | undefined)[] = [undefined];
  readonly #indexByKey = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #retired: BindGroupHandle[] = [];
  /** Layouts by bound slots. */
  readonly #layouts = new Map<number, BindGroupLayoutHandle>();
  #isStale = true;
  /** Increases when a bind group is created or replaced. */
  version = 0;

  readonly #rhi: ImmediateContext;
  readonly #textures: TextureStore;

  constructor(rhi: ImmediateContext, textures: TextureStore) {
    this.#rhi = rhi;
    this.#textures = textures;
  }

  /** Returns the layout of bind group 1. @param slots bound slots, as bits */
  layout(slots: number): BindGroupLayoutHandle {
    let layout = this.#layouts.get(slots);
    if (layout === undefined) {
      // Custom shaders may read textures to move vertices.
      const visibility = ShaderStage.vertex | ShaderStage.fragment;
      layout = this.#rhi.createBindGroupLayout({
        label: 'material textures',
        entries: numbersOf(slots).flatMap((slot) => [
          { binding: slot * 2, visibility, texture: {} },
          { binding: slot * 2 + 1, visibility, sampler: {} },
        ]),
      });
      this.#layouts.set(slots, layout);
    }
    return layout;
  }

  /**
   * Returns the set of these textures.
   * @param textures an id per slot, −1: none
   * @param slots bound slots, as bits; equal textures imply equal slots
   */
  acquire(textures: readonly number[], slots: number): number {
    const key = textures.join();
    let index = this.#indexByKey.get(key);
    if (index === undefined) {
      index = this.#free.pop() ?? this.#sets.length;
      this.#sets[index] = { key, textures: [...textures], slots, users: 0, bindGroup: undefined };
      this.#indexByKey.set(key, index);
      this.#isStale = true;
    }
    const set = this.#sets[index];
    if (set) set.users++;
    return index;
  }

  release(index: number): void {
    const set = this.#sets[index];
    if (set === undefined || --set.users > 0) return;
    if (set.bindGroup !== undefined) this.#retired.push(set.bindGroup);
    this.#indexByKey.delete(set.key);
    this.#sets[index] = undefined;
    this.#free.push(index);
  }

  /** Returns the id of the texture in a slot of a set; −1: none. */
  textureOf(index: number, slot: number): number {
    return this.#sets[index]?.textures[slot] ?? -1;
  }

  /** Returns the texture and the sampler of a slot in the bind group of a set. An empty slot has a placeholder. */
  slot(index: number, slot: number): { readonly texture: TextureHandle; readonly sampler: SamplerHandle } {
    const texture = this.textureOf(index, slot);
    return {
      texture: this.#textures.handle(texture, holdsNormals[slot] === true),
      sampler: this.#textures.sampler(texture),
    };
  }

  /** @throws RhiError `bind-group-missing` */
  bindGroup(index: number): BindGroupHandle {
    const bindGroup = this.#sets[index]?.bindGroup;
    if (bindGroup !== undefined) return bindGroup;
    throw new RhiError(
      'bind-group-missing',
      `The texture set ${index} was used before its bind group was created. Record the sets first.`,
    );
  }

  /**
   * Per frame: destroys the bind groups of released sets. Creates bind groups that are missing, or that name a texture
   * which was created or destroyed.
   * @param changed ids of textures that were created or destroyed
   */
  recordBindGroups(changed: ReadonlySet<number>): void {
    if (this.#retired.length > 0) {
      for (const bindGroup of this.#retired) this.#rhi.destroy(bindGroup);
      this.#retired.length = 0;
    }
    if (!this.#isStale && changed.size === 0) return;
    this.#isStale = false;
    for (const set of this.#sets) {
      if (set === undefined) continue;
      if (set.bindGroup !== undefined) {
        if (!set.textures.some((texture) => changed.has(texture))) continue;
        this.#rhi.destroy(set.bindGroup);
      }
      this.version++;
      set.bindGroup = this.#rhi.createBindGroup({
        label: `textures ${set.key}`,
        layout: this.layout(set.slots),
        entries: numbersOf(set.slots).flatMap((slot) => {
          const texture = set.textures[slot] as number;
          return [
            {
              binding: slot * 2,
              view: { texture: this.#textures.handle(texture, holdsNormals[slot] === true) },
            },
            { binding: slot * 2 + 1, sampler: this.#textures.sampler(texture) },
          ];
        }),
      });
    }
  }

  dispose(): void {
    for (const bindGroup of this.#retired) this.#rhi.destroy(bindGroup);
    this.#retired.length = 0;
    for (const set of this.#sets) this.#rhi.destroy(set?.bindGroup);
    this.#sets.length = 0;
    for (const layout of this.#layouts.values()) this.#rhi.destroy(layout);
    this.#layouts.clear();
  }
}

const numbersOf = (slots: number): number[] =>
  Array.from(TEXTURE_SLOTS.keys()).filter((slot) => slots & (1 << slot));
