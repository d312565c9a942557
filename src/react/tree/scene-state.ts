import type { EffectsOptions, Engine, World } from '../../index.js';
import { Cameras } from './cameras.js';
import type { Instance } from './instance.js';
import { ModelCache } from './model-cache.js';
import { Slot } from './slot.js';

/** Where the page shows elements of `<Html>`; `null` for roots without a page. */
export interface HtmlLayer {
  /** Shows an element, or applies its changed props. */
  change(instance: Instance): void;
  remove(instance: Instance): void;
}

/** The state that all instances of one scene share. */
export class SceneState {
  readonly engine: Engine;
  readonly world: World;
  readonly html: HtmlLayer | null;
  /** Receives errors that no error boundary can catch, because no component is rendering. */
  readonly report: (error: unknown) => void;
  readonly models: ModelCache;
  readonly cameras: Cameras;
  /** Instances at the top of the scene. */
  readonly children: Instance[] = [];
  /** Called after each commit, when all actors exist: for controls and views, which need cameras. */
  readonly settlers = new Set<() => void>();
  /** Work that follows the settlers of one commit. */
  #afterSettle: (() => void)[] = [];
  /** The effects of the engine without `<Effects>`. */
  baseEffects: EffectsOptions = {};
  /** Slots by owner and setting. The last mounted instance decides each. */
  readonly slots = new WeakMap<object, Map<string, Slot>>();

  constructor(engine: Engine, html: HtmlLayer | null, report: (error: unknown) => void) {
    this.engine = engine;
    this.world = engine.world;
    this.html = html;
    this.report = report;
    this.models = new ModelCache(engine.world);
    this.cameras = new Cameras(engine.world);
  }

  /** Returns the slot of a setting. @param owner the engine, its world or a view */
  slot(owner: object, name: string, apply: (instance: Instance | null) => void): Slot {
    const slots = this.slots.get(owner) ?? new Map<string, Slot>();
    this.slots.set(owner, slots);
    const slot = slots.get(name) ?? new Slot(apply);
    slots.set(name, slot);
    return slot;
  }

  /** Runs work once the views of this commit exist. An error makes the instance fail. */
  afterSettle(instance: Instance, work: () => void): void {
    this.#afterSettle.push(() => instance.attempt(work));
  }

  /** Completes a commit. */
  settle(): void {
    this.cameras.settle();
    for (const settle of [...this.settlers]) settle();
    const works = this.#afterSettle;
    this.#afterSettle = [];
    for (const work of works) work();
  }
}
