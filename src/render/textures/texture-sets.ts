import { TEXTURE_SLOTS } from '../../proxy/material-layout.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { TextureStore } from './texture-store.js';

/**
 * One bind group per distinct combination of textures, shared by every material that uses it, so that draws of
 * different materials with the same textures merge. Sets are numbered from 1; 0 is no textures, and without a bind group.
 * They are counted by the materials that use them; their bind groups are made with the next frame.
 */
const NORMAL_SLOT = /* @__PURE__ */ TEXTURE_SLOTS.indexOf('normal');

interface TextureSet {
  readonly key: string;
  readonly textures: readonly number[];
  users: number;
  bindGroup: BindGroupHandle | undefined;
}

export class TextureSets {
  readonly #sets: (TextureSet | undefined)[] = [undefined];
  readonly #indexByKey = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #retired: BindGroupHandle[] = [];
  #groupLayout: BindGroupLayoutHandle | undefined;
  #isStale = true;
  /** Rises when a bind group is another one. */
  version = 0;

  readonly #rhi: ImmediateContext;
  readonly #textures: TextureStore;

  constructor(rhi: ImmediateContext, textures: TextureStore) {
    this.#rhi = rhi;
    this.#textures = textures;
  }

  get layout(): BindGroupLayoutHandle {
    this.#groupLayout ??= this.#rhi.createBindGroupLayout({
      label: 'material textures',
      entries: TEXTURE_SLOTS.flatMap((_, slot) => [
        // Shaders of pages move vertices by them.
        { binding: slot * 2, visibility: ShaderStage.vertex | ShaderStage.fragment, texture: {} },
        { binding: slot * 2 + 1, visibility: ShaderStage.vertex | ShaderStage.fragment, sampler: {} },
      ]),
    });
    return this.#groupLayout;
  }

  /** @param textures an id per slot, −1: none */
  acquire(textures: readonly number[]): number {
    const key = textures.join();
    let index = this.#indexByKey.get(key);
    if (index === undefined) {
      index = this.#free.pop() ?? this.#sets.length;
      this.#sets[index] = { key, textures: [...textures], users: 0, bindGroup: undefined };
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

  bindGroup(index: number): BindGroupHandle {
    const bindGroup = this.#sets[index]?.bindGroup;
    if (bindGroup === undefined)
      throw new Error(`texture set ${index} is used before its bind group was made`);
    return bindGroup;
  }

  /**
   * Per frame: makes bind groups that are missing, or that name a texture which came or went.
   * @param changed ids of those
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
        layout: this.layout,
        entries: set.textures.flatMap((texture, slot) => [
          { binding: slot * 2, view: { texture: this.#textures.handle(texture, slot === NORMAL_SLOT) } },
          { binding: slot * 2 + 1, sampler: this.#textures.sampler(texture) },
        ]),
      });
    }
  }

  dispose(): void {
    for (const bindGroup of this.#retired) this.#rhi.destroy(bindGroup);
    this.#retired.length = 0;
    for (const set of this.#sets) this.#rhi.destroy(set?.bindGroup);
    this.#sets.length = 0;
    this.#rhi.destroy(this.#groupLayout);
    this.#groupLayout = undefined;
  }
}
