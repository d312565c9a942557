import type { StreamReader } from '../../core/streams/stream.js';
import type { TableData } from '../../proxy/color-table.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import {
  EFFECT_NAMES,
  type EffectActors,
  type EffectName,
  EffectState,
  unpackEffect,
} from '../../proxy/effects.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { type EffectStates, ViewEffectPasses } from './view-effects.js';

/** The picture of a view, which may have effects. */
interface EffectedPicture {
  /** The view's id in the game; NO_ID: the view of an active camera. */
  readonly id: number;
  readonly state: Pick<SceneViewState, 'ambientOcclusion' | 'reflections'> & {
    readonly look: { readonly debugView: number };
  };
  readonly world: { readonly pipelines: Pick<PipelineCache, 'add'> };
  effects: ViewEffectPasses | undefined;
  /** Effects of the view that the picture captures. */
  readonly capturedEffects?: ViewEffectPasses | undefined;
}

const NO_EFFECTS: EffectStates = [];

/** Actors that `setEffectActors` replaces. */
interface ChangingActors extends EffectActors {
  pairs: Uint32Array;
  version: number;
}

/** Version of `NO_EFFECTS`. */
const OFF = -2;

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
  readonly #pipelines: ScreenPipelines;
  readonly #common: EffectStates = [];
  readonly #own = new Map<number, EffectStates>();
  /** Colour tables by view, then by the number of the effect. */
  readonly #tables = new Map<number, (TableData | undefined)[]>();
  /** Actors by view, then by effect. */
  readonly #actors = new Map<number, (ChangingActors | undefined)[]>();
  /** Increases with each change. */
  #version = 0;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
  }

  /** Executes the reader's current record: `setEffect`, `setEffectTable` or `setEffectActors`. */
  execute(reader: StreamReader): void {
    if (reader.opcode === RenderOpcode.setEffectTable) {
      this.#setTable(reader);
      return;
    }
    const { words, floats, fields: at } = reader;
    const view = words[at] as number;
    const number = words[at + 1] as number;
    if (reader.opcode === RenderOpcode.setEffectActors) {
      const actors = this.#actorsOf(view, number);
      actors.pairs = words.slice(at + 3, at + 3 + (words[at + 2] as number));
      actors.version++;
      return;
    }
    const state = words[at + 2] as EffectState;
    const name = EFFECT_NAMES[number] as EffectName;
    const own = this.#own.get(view) ?? [];
    if (view !== NO_ID) this.#own.set(view, own);
    const states = view === NO_ID ? this.#common : own;
    // Changed options of an effect that is on need no other pipeline.
    if (!(states[number] && state === EffectState.on)) this.isRestyled = true;
    const tables = this.#tables.get(view);
    const table = tables?.[number];
    const options =
      state === EffectState.on
        ? unpackEffect(name, floats, at + 4, table, this.#actorsOf(view, number))
        : null;
    states[number] = state === EffectState.inherited ? undefined : options;
    // Drops a table that the options no longer contain. The game sends it again before options contain it again.
    if (tables && table && !Object.values(options ?? {}).includes(table)) tables[number] = undefined;
    this.#version++;
  }

  /** Returns the actors of an effect. The object stays the same as long as the view exists. */
  #actorsOf(view: number, effect: number): ChangingActors {
    const actors = this.#actors.get(view) ?? [];
    this.#actors.set(view, actors);
    actors[effect] ??= { pairs: new Uint32Array(0), version: 0 };
    return actors[effect];
  }

  #setTable(reader: StreamReader): void {
    const { words, floats, fields: at } = reader;
    const view = words[at + 1] as number;
    const tables = this.#tables.get(view) ?? [];
    this.#tables.set(view, tables);
    tables[words[at + 2] as number] = {
      size: words[at + 3] as number,
      isCube: words[at + 4] === 1,
      least: [...floats.subarray(at + 5, at + 8)],
      most: [...floats.subarray(at + 8, at + 11)],
      texels: new Float32Array(reader.attachment(words[at] as number) as ArrayBuffer),
    };
  }

  /** Removes the effects of a view that was destroyed. */
  forget(view: number): void {
    this.#tables.delete(view);
    this.#actors.delete(view);
    if (this.#own.delete(view)) this.#version++;
  }

  /**
   * Per frame, outside passes, before the formats of views are known: updates the effects of each view.
   * @param frame number of the frame
   * @param timeSeconds scene time of the frame
   */
  prepare(frame: number, timeSeconds: number, views: readonly { readonly picture: EffectedPicture }[]): void {
    this.isRestyled = false;
    for (const { picture } of views) {
      picture.effects ??= new ViewEffectPasses(this.#rhi, this.#pipelines, picture.capturedEffects);
      // Effects would change the values that a debug view shows.
      if (picture.state.look.debugView !== 0)
        picture.effects.update(frame, timeSeconds, undefined, NO_EFFECTS, OFF);
      else picture.effects.update(frame, timeSeconds, this.#own.get(picture.id), this.#common, this.#version);
      const { ambientOcclusion } = picture.effects;
      picture.state.ambientOcclusion = ambientOcclusion;
      picture.state.reflections = picture.effects.reflections;
      if (ambientOcclusion) picture.world.pipelines.add(ambientOcclusion.shader);
    }
  }
}
