import effectsCode from '../../../shaders/effects.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { EFFECT_NAMES, type EffectName, type EffectValues } from '../../proxy/effects.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { Effect, PixelEffect } from './effect.js';
import { EFFECT_CLASSES } from './registry.js';

/** Alignment of a structure in a uniform buffer. */
const STRUCT_ALIGNMENT_WORDS = 4;

/** Options of each effect by its number. `null`: the effect is off; `undefined`: it was not set. */
export type EffectStates = (EffectValues<EffectName> | null | undefined)[];

/**
 * The effects of one view: one object per effect that is on. From effects that change each pixel on its own,
 * the class composes code for the last pass and one buffer of options.
 *
 *   key     bit n: effect n has code in the last pass
 *   buffer  │ Vignette │ next structure, 16-byte aligned │ …
 */
export class ViewEffectPasses {
  /** Set of effects in the last pass; 0: none. */
  key = 0;
  /** Increases when the buffer is replaced. */
  version = 0;
  readonly #rhi: ImmediateContext;
  /** Effects by their number. */
  readonly #effects: (Effect<EffectName> | undefined)[] = [];
  /** Options that each effect received last. */
  readonly #options: EffectStates = [];
  #buffer: BufferHandle | undefined;
  /** Version of `EffectsFeature` at the last update. */
  #statesVersion = -1;
  #hasPasses = false;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Whether an effect is on. */
  get isOn(): boolean {
    return this.key !== 0 || this.#hasPasses;
  }

  /** Buffer with the options of the effects in `key`. */
  get buffer(): BufferHandle {
    return this.#buffer as BufferHandle;
  }

  /**
   * Per frame, outside passes: switches effects on and off, and uploads their options.
   * @param own options of the view
   * @param common options for effects that the view has not set
   */
  update(own: EffectStates | undefined, common: EffectStates, version: number): void {
    if (version === this.#statesVersion) return;
    this.#statesVersion = version;
    let key = 0;
    this.#hasPasses = false;
    for (const [number, name] of EFFECT_NAMES.entries()) {
      const ownOptions = own?.[number];
      const options = (ownOptions === undefined ? common[number] : ownOptions) ?? null;
      const effect = this.#set(number, name, options);
      if (effect?.pixel) key |= 1 << number;
      if (effect?.addPasses) this.#hasPasses = true;
    }
    this.#upload(key);
  }

  /** Per frame, after the passes of the view's scene: adds the passes of effects. */
  addPasses(graph: FrameGraph, view: SceneViewState): void {
    if (this.#hasPasses) for (const effect of this.#effects) effect?.addPasses?.(graph, view);
  }

  /** Returns WGSL of `withEffects`, which the last pass calls: see `shaders/effects.wgsl`. */
  compose(): string {
    const pixels = this.#pixels;
    const members = pixels.map(({ name, pixel }) => `  @align(16) ${name}: ${pixel.struct.name},\n`);
    const calls = pixels.map(({ name }) => `  result = ${name}(result, point, effects.${name});\n`);
    return [
      ...pixels.flatMap(({ pixel }) => [pixel.struct.wgsl, pixel.code]),
      `struct Effects {\n${members.join('')}}\n`,
      '@group(0) @binding(3) var<uniform> effects: Effects;\n',
      `fn applyEffects(light: vec3f, point: vec2f) -> vec3f {\n  var result = light;\n${calls.join('')}  return result;\n}\n`,
      effectsCode,
    ].join('\n');
  }

  dispose(): void {
    for (const effect of this.#effects) effect?.dispose?.();
    this.#effects.length = this.#options.length = 0;
    this.#rhi.destroy(this.#buffer);
    this.#buffer = undefined;
  }

  /** Code of the effects that are on and change each pixel on its own. */
  get #pixels(): { readonly name: EffectName; readonly pixel: PixelEffect }[] {
    return EFFECT_NAMES.flatMap((name, number) => {
      const pixel = this.#effects[number]?.pixel;
      return pixel ? [{ name, pixel }] : [];
    });
  }

  #set(
    number: number,
    name: EffectName,
    options: EffectValues<EffectName> | null,
  ): Effect<EffectName> | undefined {
    if (options === this.#options[number]) return this.#effects[number];
    this.#options[number] = options;
    if (options === null) this.#effects[number]?.dispose?.();
    const Class: new (rhi: ImmediateContext) => Effect<EffectName> = EFFECT_CLASSES[name];
    const effect = options === null ? undefined : (this.#effects[number] ?? new Class(this.#rhi));
    this.#effects[number] = effect;
    if (options !== null) effect?.setOptions(options);
    return effect;
  }

  #upload(key: number): void {
    const rhi = this.#rhi;
    const words: number[] = [];
    for (const { pixel } of this.#pixels) {
      words.push(...pixel.words);
      while (words.length % STRUCT_ALIGNMENT_WORDS !== 0) words.push(0);
    }
    if (key !== this.key) {
      this.key = key;
      this.version++;
      rhi.destroy(this.#buffer);
      this.#buffer =
        key === 0
          ? undefined
          : rhi.createBuffer({
              label: 'effects',
              byteLength: words.length * 4,
              usage: BufferUsage.uniform | BufferUsage.copyTarget,
            });
    }
    if (this.#buffer !== undefined) rhi.writeBuffer(this.#buffer, 0, new Float32Array(words));
  }
}
