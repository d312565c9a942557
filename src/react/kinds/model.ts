import {
  type Actor,
  type Level,
  type LoadSource,
  OptionError,
  type Playback,
  type PlayOptions,
  SceneComponent,
  type TransformOptions,
} from '../../index.js';
import type { Instance } from '../tree/instance.js';
import type { Kind, PropNames, Props } from '../tree/kind.js';
import type { CachedModel } from '../tree/model-cache.js';
import { actorKind, PLACED, type PlacedOptions } from './actor-kind.js';

export interface ModelKindOptions extends PlacedOptions {
  /** A glTF file. A new file replaces the model once it is loaded. */
  readonly src: LoadSource;
  /** Name of a variant of the file's materials; `null` for the default materials. */
  readonly variant?: string | null;
  /** Name or index of the clip that plays; `null` plays none. */
  readonly animation?: string | number | null;
  /** How the clip plays. With `fadeSeconds`, a changed clip fades in while the previous one fades out. */
  readonly play?: PlayOptions;
  /** Called when the model is shown. `level` belongs to this component. */
  readonly onLoad?: (level: Level) => void;
  /** Called if the file, the variant or the animation has failed. By default, the scene reports the error. */
  readonly onError?: (error: Error) => void;
}

const MODEL: PropNames<ModelKindOptions> = {
  ...PLACED,
  src: true,
  variant: true,
  animation: true,
  play: true,
  onLoad: true,
  onError: true,
};

/** Shows clones of one file after the other in an actor. */
class ShownModel {
  readonly #instance: Instance;
  readonly #actor: Actor;
  /** The file of the shown level, and the file that is loading. */
  #model: CachedModel | null = null;
  #pending: CachedModel | null = null;
  /** The last file, if it has failed. Its error is reported once. */
  #failed: CachedModel | null = null;
  #level: Level | null = null;
  #playback: Playback | null = null;

  constructor(instance: Instance, actor: Actor) {
    this.#instance = instance;
    this.#actor = actor;
  }

  get #props(): ModelKindOptions {
    return this.#instance.props as Props & ModelKindOptions;
  }

  /** Loads the file of `src`. A file that is loaded already is shown at once, and the shown file is kept. */
  load(): void {
    const { models } = this.#instance.scene;
    const model = models.acquire(this.#props.src);
    this.#cancel();
    if (model === this.#model || model === this.#failed) {
      models.release(model);
      return;
    }
    this.#failed = null;
    this.#pending = model;
    if (!model.isPending) this.#finish(model);
    else void model.settled.then(() => this.#finish(model));
  }

  chooseVariant(): void {
    this.#try(() => {
      if (this.#level) this.#level.variant = this.#props.variant ?? null;
    });
  }

  play(): void {
    this.#try(() => {
      const { animation = null, play } = this.#props;
      const before = this.#playback;
      this.#playback = null;
      before?.stop({ fadeSeconds: animation === null ? 0 : (play?.fadeSeconds ?? 0) });
      if (animation !== null && this.#level) this.#playback = this.#level.play(animation, play);
    });
  }

  remove(): void {
    this.#cancel();
    this.#unload();
  }

  #finish(model: CachedModel): void {
    // Another file has been asked for, or the component was removed.
    if (model !== this.#pending) return;
    if (!model.level) {
      this.#cancel();
      this.#failed = model;
      this.#report(model.error);
      return;
    }
    this.#pending = null;
    this.#unload();
    this.#model = model;
    const level = model.level.clone({ visible: true });
    this.#level = level;
    level.root?.attachTo(this.#actor);
    this.chooseVariant();
    this.play();
    // A file that is loaded already is shown within React's commit, when components cannot change their state yet.
    queueMicrotask(() => {
      if (level === this.#level) this.#try(() => this.#props.onLoad?.(level));
    });
  }

  #cancel(): void {
    if (this.#pending) this.#instance.scene.models.release(this.#pending);
    this.#pending = null;
  }

  #unload(): void {
    this.#playback = null;
    this.#level?.unload();
    this.#level = null;
    if (this.#model) this.#instance.scene.models.release(this.#model);
    this.#model = null;
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { scene } = this.#instance;
    if (scene.world.disposed.aborted) return;
    if (this.#props.onError) this.#props.onError(error as Error);
    else scene.report(error);
  }
}

const shown = new WeakMap<Instance, ShownModel>();

export const model: Kind = actorKind({
  name: 'Model',
  props: { ...PLACED, ...MODEL },
  create: ({ src, variant: _variant, animation: _animation, play: _play, onLoad, onError, ...options }) => {
    checkHandler('onLoad', onLoad);
    checkHandler('onError', onError);
    return new SceneComponent(options as TransformOptions);
  },
  mounted: (instance, actor) => {
    const own = new ShownModel(instance, actor);
    shown.set(instance, own);
    own.load();
  },
  set: (instance, _actor, name) => {
    const own = shown.get(instance);
    if (!own || Object.hasOwn(PLACED, name)) return false;
    if (name === 'src') own.load();
    else if (name === 'variant') own.chooseVariant();
    else if (name === 'animation' || name === 'play') own.play();
    else checkHandler(name, instance.props[name]);
    return true;
  },
  removed: (instance) => {
    shown.get(instance)?.remove();
    shown.delete(instance);
  },
});

/** @throws OptionError `option-invalid` */
function checkHandler(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new OptionError('option-invalid', `${name} of <Model> is ${String(value)}; it has to be a function.`);
}
