import effectsCode from '../../../shaders/effects.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder } from '../../graph/graph-pass.js';
import { EFFECT_NAMES, type EffectName, type EffectValues } from '../../proxy/effects.js';
import { type BufferHandle, BufferUsage, type TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState, ViewAmbientOcclusion } from '../views/scene-view-state.js';
import type { Effect, EffectWorld, PixelEffect, PixelStage } from './effect.js';
import { EFFECT_CLASSES, type EffectClass } from './registry.js';

/** Alignment of a structure in a uniform buffer. */
const STRUCT_ALIGNMENT_WORDS = 4;

/** Options of each effect by its number. `null`: the effect is off; `undefined`: it was not set. */
export type EffectStates = (EffectValues<EffectName> | null | undefined)[];

/**
 * The effects of one view: one object per effect that is on. For effects with code in the last pass, the class
 * composes that code, and one buffer with all their options.
 *
 *   key     bit n: effect n has code in the last pass
 *   buffer  │ Vignette │ next structure, 16-byte aligned │ …
 */
export class ViewEffectPasses {
  /** Set of effects in the last pass; 0: none. */
  key = 0;
  /** Bits of `PassFormat` of the effects. */
  passFormat = 0;
  /**
   * Whether an effect changes tones, by the stage `grading` or by `Effect.isGrading`. Colours of materials without tone
   * mapping must not change, so they then need a target of their own.
   */
  isGraded = false;
  /** Whether an effect draws colours that tone mapping must not change. */
  drawsUnmapped = false;
  /** Texture that the code in the last pass reads. */
  texture: TextureHandle | undefined;
  /** Uniforms that the code in the last pass reads, and that passes of the frame write. */
  written: BufferHandle | undefined;
  /** Increases when a buffer or the texture is replaced. */
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
  /** Whether effects prepare the view. */
  #preparesView = false;
  /** Whether options of an effect change in each frame. */
  #changesByFrame = false;
  /** Contents of the buffer. */
  #packed = new Float32Array(0);

  readonly #pipelines: ScreenPipelines;
  readonly #captured: ViewEffectPasses | undefined;

  /** @param captured effects of the view that this view captures */
  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, captured?: ViewEffectPasses) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#captured = captured;
  }

  /** Ambient occlusion, while it is on. */
  get ambientOcclusion(): ViewAmbientOcclusion | undefined {
    for (const effect of this.#effects) if (effect?.ambientOcclusion) return effect.ambientOcclusion;
    return undefined;
  }

  /** Options of screen-space reflections, while they are on. */
  get reflections(): EffectValues<'ssr'> | undefined {
    for (const effect of this.#effects) if (effect?.reflections) return effect.reflections;
    return undefined;
  }

  /** Whether an effect has passes, or code in the last pass. */
  get isOn(): boolean {
    return this.key !== 0 || this.#hasPasses;
  }

  /** Buffer with the options of the effects in `key`. */
  get buffer(): BufferHandle {
    return this.#buffer as BufferHandle;
  }

  /**
   * Per frame, outside passes: switches effects on and off, and uploads their options.
   * @param frame number of the frame
   * @param timeSeconds scene time of the frame
   * @param own options of the view
   * @param common options for effects that the view has not set
   */
  update(
    frame: number,
    timeSeconds: number,
    own: EffectStates | undefined,
    common: EffectStates,
    version: number,
  ): void {
    if (version !== this.#statesVersion) this.#switch(own, common, version);
    if (!this.#changesByFrame) return;
    for (const effect of this.#effects) effect?.beginFrame?.(frame, timeSeconds);
    this.#write();
  }

  #switch(own: EffectStates | undefined, common: EffectStates, version: number): void {
    this.#statesVersion = version;
    let key = 0;
    this.passFormat = 0;
    this.isGraded = this.drawsUnmapped = this.#changesByFrame = this.#preparesView = false;
    let texture: TextureHandle | undefined;
    let written: BufferHandle | undefined;
    this.#hasPasses = false;
    for (const [number, name] of EFFECT_NAMES.entries()) {
      const ownOptions = own?.[number];
      const options = (ownOptions === undefined ? common[number] : ownOptions) ?? null;
      const effect = this.#set(number, name, options);
      this.passFormat |= effect?.passBit ?? 0;
      if (effect?.pixel) key |= 1 << number;
      if (effect?.isGrading || effect?.pixel?.stage === 'grading') this.isGraded = true;
      if (effect?.beginFrame) this.#changesByFrame = true;
      texture ??= effect?.pixel?.texture;
      written ??= effect?.pixel?.buffer;
      if (effect?.addPasses) this.#hasPasses = true;
      if (effect?.prepareView) this.#preparesView = true;
      if (effect?.drawsUnmapped) this.drawsUnmapped = true;
    }
    if (texture !== this.texture || written !== this.written) this.version++;
    this.texture = texture;
    this.written = written;
    this.#upload(key);
  }

  /** Per frame, outside passes, after the view has been culled: see `Effect.prepareView`. */
  prepareView(view: DrawnView, world: EffectWorld): void {
    if (this.#preparesView) for (const effect of this.#effects) effect?.prepareView?.(view, world);
  }

  /** Per frame, after the passes of the view's scene: adds the passes of effects. */
  addPasses(graph: FrameGraph, view: SceneViewState): void {
    if (this.#hasPasses) for (const effect of this.#effects) effect?.addPasses?.(graph, view);
  }

  /** Declares reads of the last pass, in its set-up. */
  declareReads(builder: PassBuilder): void {
    if (this.#hasPasses) for (const effect of this.#effects) effect?.declareRead?.(builder);
  }

  /** Returns the sum of `Effect.reach` of the effects that are on, because an effect reads the results of others. */
  reach(size: number): number {
    let reach = 0;
    for (const effect of this.#effects) reach += effect?.reach?.(size) ?? 0;
    return reach;
  }

  /** Returns WGSL of `withEffects`, which the last pass calls: see `shaders/effects.wgsl`. */
  compose(): string {
    const pixels = this.#pixels;
    const members = pixels.map(({ name, pixel }) => `  @align(16) ${name}: ${pixel.struct.name},\n`);
    const calls = (wanted: PixelStage, given: string) =>
      pixels
        .filter(({ pixel }) => (pixel.stage ?? 'light') === wanted)
        .map(({ name }) => `  result = ${name}(${given}, effects.${name});\n`)
        .join('');
    const applying = (name: string, stage: PixelStage, type: string, place: string) =>
      `fn ${name}(given: ${type}, ${place}) -> ${type} {\n  var result = given;\n${calls(stage, `result, ${place.split(':')[0]}`)}  return result;\n}\n`;
    const lens = calls('lens', 'pixel');
    return [
      ...pixels.flatMap(({ pixel }) => [pixel.struct.wgsl, pixel.code]),
      `struct Effects {\n${members.join('')}}\n`,
      '@group(0) @binding(3) var<uniform> effects: Effects;\n',
      this.texture === undefined ? '' : '@group(0) @binding(4) var effectTable: texture_2d<f32>;\n',
      applying('automaticExposure', 'exposure', 'f32', 'pixel: vec2u'),
      applying('applyEffects', 'light', 'vec3f', 'point: vec2f'),
      applying('withGrading', 'grading', 'vec3f', 'point: vec2f'),
      applying('withFilm', 'film', 'vec4f', 'pixel: vec2u'),
      `fn throughLens(pixel: vec2u) -> vec4f {\n  var result = ${lens ? 'vec4f(0.0)' : 'pictureAt(pixel)'};\n${lens}  return result;\n}\n`,
      effectsCode,
    ].join('\n');
  }

  dispose(): void {
    for (const effect of this.#effects) effect?.dispose?.();
    this.#effects.length = this.#options.length = 0;
    this.#rhi.destroy(this.#buffer);
    this.#buffer = undefined;
  }

  /** Returns the effect with this number; undefined: it is off. */
  effect(number: number): Effect<EffectName> | undefined {
    return this.#effects[number];
  }

  /** The effects that are on and have code in the last pass. */
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
    const Class = EFFECT_CLASSES[name] as EffectClass<EffectName>;
    const captured = this.#captured?.effect(number);
    const effect =
      options === null
        ? undefined
        : (this.#effects[number] ?? new Class(this.#rhi, this.#pipelines, captured));
    this.#effects[number] = effect;
    if (options !== null) effect?.setOptions(options);
    return effect;
  }

  #upload(key: number): void {
    const rhi = this.#rhi;
    if (key !== this.key) {
      this.key = key;
      this.version++;
      rhi.destroy(this.#buffer);
      this.#buffer = undefined;
      let words = 0;
      for (const { pixel } of this.#pixels) words += alignedWords(pixel);
      this.#packed = new Float32Array(words);
      if (words > 0) {
        const usage = BufferUsage.uniform | BufferUsage.copyTarget;
        this.#buffer = rhi.createBuffer({ label: 'effects', byteLength: words * 4, usage });
      }
    }
    this.#write();
  }

  /** Uploads the options. */
  #write(): void {
    if (this.#buffer === undefined) return;
    let at = 0;
    for (const effect of this.#effects) {
      if (!effect?.pixel) continue;
      this.#packed.set(effect.pixel.words, at);
      at += alignedWords(effect.pixel);
    }
    this.#rhi.writeBuffer(this.#buffer, 0, this.#packed);
  }
}

const alignedWords = ({ words }: PixelEffect): number =>
  Math.ceil(words.length / STRUCT_ALIGNMENT_WORDS) * STRUCT_ALIGNMENT_WORDS;
