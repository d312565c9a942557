import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID } from '../../proxy/commands.js';
import { EFFECT_NAMES, type EffectName, EffectState, unpackEffect } from '../../proxy/effects.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { type EffectStates, ViewEffectPasses } from './view-effects.js';

/** The picture of a view, which may have effects. */
interface EffectedPicture {
  /** The view's id in the game; NO_ID: the view of an active camera. */
  readonly id: number;
  effects: ViewEffectPasses | undefined;
}

/**
 * Effects of all views, as the game has set them.
 *
 *   setEffect ─┬─ view NO_ID: for every view that has not set the effect itself
 *              └─ view 7: for that view only
 */
export class EffectsFeature {
  /** Whether the next frame may need other pipelines. */
  isRestyled = false;
  readonly #rhi: ImmediateContext;
  readonly #common: EffectStates = [];
  readonly #own = new Map<number, EffectStates>();
  /** Increases with each change. */
  #version = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Executes the reader's current record, `setEffect`. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const view = words[at] as number;
    const number = words[at + 1] as number;
    const state = words[at + 2] as EffectState;
    const name = EFFECT_NAMES[number] as EffectName;
    const own = this.#own.get(view) ?? [];
    if (view !== NO_ID) this.#own.set(view, own);
    const states = view === NO_ID ? this.#common : own;
    // Changed options of an effect that is on need no other pipeline.
    if (!(states[number] && state === EffectState.on)) this.isRestyled = true;
    states[number] =
      state === EffectState.inherited
        ? undefined
        : state === EffectState.off
          ? null
          : unpackEffect(name, floats, at + 4);
    this.#version++;
  }

  /** Removes the effects of a view that was destroyed. */
  forget(view: number): void {
    if (this.#own.delete(view)) this.#version++;
  }

  /** Per frame, outside passes: updates the effects of each view. */
  prepare(views: readonly { readonly picture: EffectedPicture }[]): void {
    this.isRestyled = false;
    for (const { picture } of views) {
      picture.effects ??= new ViewEffectPasses(this.#rhi);
      picture.effects.update(this.#own.get(picture.id), this.#common, this.#version);
    }
  }
}
