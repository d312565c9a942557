/**
 * `<fencepost-viewer>`: shows a model in a page without any script. All elements share one engine. Each element has a
 * world and a view from its insertion into a document to its removal. An element that is moved within a document keeps
 * them.
 *
 *   attributes ── viewerAttributes ──► ModelStage ──► world, view, controls
 *   events load, progress, error ◄────────┘             └─► SharedEngine
 */
import {
  type AddedWorld,
  createEngine,
  type Engine,
  type FencepostError,
  type Level,
  OptionError,
  type OrbitControls,
  StateError,
  type View,
} from '../index.js';
import { Hotspots } from './hotspots.js';
import { MemoryBudget, type Tenant } from './memory-budget.js';
import { ModelStage } from './model-stage.js';
import { adoptSheet, growShadowTree, type ShadowTree } from './shadow-tree.js';
import { type EngineMember, SharedEngine } from './shared-engine.js';
import { watchAttributes } from './unknown-attributes.js';
import { initialOptions, viewerAttributes } from './viewer-attributes.js';
import { ViewerEventTarget } from './viewer-events.js';
import { watchVisibility } from './visibility.js';

/** The engine of all elements. Its own canvas is in no document and has no size, so it is never drawn. */
const shared = new SharedEngine((options) => createEngine(document.createElement('div'), options));
const budget = new MemoryBudget();
/** Errors that were printed. An error of the engine is reported by every element and printed once. */
const printed = new WeakSet<object>();

export class FencepostViewer extends ViewerEventTarget {
  static readonly observedAttributes: readonly string[] = [
    ...Object.keys(viewerAttributes),
    'alt',
    'loading',
    'poster',
  ];

  /**
   * Largest memory of the models of all elements on the GPU, in bytes: geometry and textures. Beyond it, models out of
   * view are unloaded, the one that was seen least recently first. They are loaded again when they come into view.
   */
  static get memoryBudget(): number {
    return budget.bytes;
  }
  static set memoryBudget(bytes: number) {
    budget.bytes = bytes;
  }

  /** Aborted when the element leaves the document; `null` outside of a document. */
  #connection: AbortController | null = null;
  #stage: ModelStage | null = null;
  #hotspots: Hotspots | null = null;
  #tree: ShadowTree | null = null;
  #isInView = false;
  /** Whether the stage is being created or exists. */
  #isStarted = false;
  /** Pending work of attributes. */
  readonly #work = new Set<Promise<void>>();
  /** Latest failure by attribute, or of `engine`'s start. The next change of the attribute clears it. */
  readonly #failures = new Map<string, unknown>();
  /** Latest change of each attribute, to recognise superseded work. */
  readonly #latest = new Map<string, object>();
  /** Whether the element has set its role and label from `alt`. */
  #isDescribed = false;

  /** This element, as the shared engine and the memory budget see it. */
  readonly #guest: EngineMember & Tenant = ((viewer: FencepostViewer) => ({
    get fileName(): string | null {
      return viewer.src;
    },
    get isInView(): boolean {
      return viewer.#isInView;
    },
    get isLoaded(): boolean {
      return viewer.level !== null;
    },
    report: (error: FencepostError) => viewer.#report(error),
    rest: async () => viewer.#stage?.rest(),
  }))(this);

  /** URL of the shown file, from the attribute `src`; `null` for none. */
  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(source: string | null) {
    if (source === null) this.removeAttribute('src');
    else this.setAttribute('src', source);
  }

  /**
   * The engine that all elements share, or `null` until it has been created; see `whenReady`. Its own canvas is not
   * shown: `view` is the element's picture.
   */
  get engine(): Engine | null {
    return this.#stage?.engine ?? null;
  }

  /** The element's world, or `null` until it has been created. It is destroyed when the element leaves the document. */
  get world(): AddedWorld | null {
    return this.#stage?.world ?? null;
  }

  /** The view on the element's canvas, or `null` until it has been created. */
  get view(): View | null {
    return this.#stage?.view ?? null;
  }

  /** The controls of the camera, or `null` until they have been created. */
  get controls(): OrbitControls | null {
    return this.#stage?.controls ?? null;
  }

  /** The loaded file, or `null` before one is loaded and while it is unloaded to free memory. */
  get level(): Level | null {
    return this.#stage?.level ?? null;
  }

  /**
   * Resolves when the picture shows the state of all attributes. Starts an element that waits to come into view, and
   * loads a model again that was unloaded to free memory.
   *
   * @throws the failure of an attribute; StateError `element-not-connected`, `element-removed`
   */
  async whenReady(): Promise<void> {
    const connection = this.#connection;
    if (!connection) {
      throw new StateError(
        'element-not-connected',
        'This <fencepost-viewer> is in no document, so it has no engine. Append it first.',
      );
    }
    this.#start();
    while (this.#work.size > 0) await Promise.all(this.#work);
    if (connection === this.#connection) for (const failure of this.#failures.values()) throw failure;
    if (connection !== this.#connection || !this.#stage) {
      throw new StateError('element-removed', 'This <fencepost-viewer> was removed from its document.');
    }
    if (this.#stage.isResting) await this.#comeBack(this.#stage);
    await this.#stage?.whenDrawn();
  }

  connectedCallback(): void {
    if (this.#connection) return;
    const connection = new AbortController();
    this.#connection = connection;
    this.#describe();
    this.#tree = growShadowTree(this);
    this.#showPoster(this.#tree);
    if (globalThis.FENCEPOST_DEVELOPMENT) {
      watchAttributes(this, FencepostViewer.observedAttributes, connection.signal);
    }
    connection.signal.addEventListener(
      'abort',
      watchVisibility(this, (isInView) => this.#see(isInView)),
    );
    this.#startIfEager();
  }

  disconnectedCallback(): void {
    // A moved element is connected again by the time this callback runs.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  /** Adopts a style sheet of the new document, because style sheets are bound to a document. */
  adoptedCallback(): void {
    if (this.shadowRoot) adoptSheet(this, this.shadowRoot);
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (name === 'alt') this.#describe();
    else if (name === 'loading') this.#startIfEager();
    else if (name === 'poster') this.#showPoster(this.#tree);
    else if (this.#stage && before !== value) this.#apply(this.#stage, name);
  }

  /** Starts an element with `loading="eager"`. Other elements start when they come into view. */
  #startIfEager(): void {
    const loading = this.getAttribute('loading');
    if (loading !== null && loading !== 'lazy' && loading !== 'eager') {
      const message = `The attribute loading of <fencepost-viewer> is "${loading}"; it has to be lazy or eager.`;
      this.#track('loading', Promise.reject(new OptionError('option-invalid', message)));
      return;
    }
    this.#failures.delete('loading');
    if (loading === 'eager') this.#start();
  }

  #start(): void {
    if (this.#isStarted || !this.#connection || !this.#tree) return;
    this.#isStarted = true;
    this.#track('engine', this.#open(this.#tree, this.#connection.signal));
  }

  async #open({ box, hotspots }: ShadowTree, signal: AbortSignal): Promise<void> {
    const engine = await shared.join(this.#guest, initialOptions(this)).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (!engine || signal.aborted) return;
    const world = await engine.createWorld({ name: this.src ?? 'fencepost-viewer' });
    if (signal.aborted) {
      world.destroy();
      return;
    }
    const stage = new ModelStage(engine, world, box, (isMoving) => shared.setMoving(this.#guest, isMoving));
    this.#stage = stage;
    signal.addEventListener('abort', () => stage.dispose());
    stage.isInView = this.#isInView;
    this.#hotspots = new Hotspots(this, hotspots, stage, signal);
    for (const name of Object.keys(viewerAttributes)) this.#apply(stage, name);
  }

  #close(): void {
    if (!this.#connection) return;
    this.#connection.abort();
    this.#connection = null;
    this.#stage = this.#hotspots = null;
    this.#isInView = this.#isStarted = false;
    this.#failures.clear();
    this.#latest.clear();
    budget.remove(this.#guest);
    shared.leave(this.#guest);
  }

  /** Notes whether the element is in view. */
  #see(isInView: boolean): void {
    this.#isInView = isInView;
    budget.see(this.#guest);
    if (isInView) this.#start();
    const stage = this.#stage;
    if (!stage) return;
    stage.isInView = isInView;
    if (isInView && stage.isResting) void this.#comeBack(stage);
    if (!isInView) this.#keepToBudget(stage);
  }

  /** Loads the model again after it was unloaded to free memory. */
  async #comeBack(stage: ModelStage): Promise<void> {
    this.#apply(stage, 'src');
    this.#apply(stage, 'environment');
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #keepToBudget({ engine }: ModelStage): void {
    const used = (): number => {
      const { geometry, textures } = engine.stats().memory;
      return geometry + textures;
    };
    // An engine that ends meanwhile has nothing to free.
    void budget.trim(used).catch(() => {});
  }

  #apply(stage: ModelStage, name: string): void {
    const apply = async (): Promise<void> => {
      await viewerAttributes[name]?.(stage, this.getAttribute(name), {
        choose: (setting, value) => shared.choose(this.#guest, setting, value),
        progress: (detail) => this.dispatchEvent(new CustomEvent('progress', { detail })),
        reapply: (other) => this.#apply(stage, other),
        reapplyDefault: (other) => {
          if (!this.hasAttribute(other)) this.#apply(stage, other);
        },
        loaded: () => this.#showLoaded(stage),
      });
      stage.refresh();
    };
    this.#track(name, apply());
  }

  /**
   * Tracks work of an attribute, or the start of the engine. A failure is stored and reported unless a later change of
   * the attribute has superseded the work.
   * @param name name of the attribute, or `engine`
   */
  #track(name: string, work: Promise<void>): void {
    const change = {};
    this.#latest.set(name, change);
    this.#failures.delete(name);
    const followed = work
      .catch((error: unknown) => {
        if (this.#latest.get(name) !== change) return;
        this.#failures.set(name, error);
        this.#report(error);
      })
      .finally(() => this.#work.delete(followed));
    this.#work.add(followed);
  }

  #showLoaded(stage: ModelStage): void {
    if (this.#tree) this.#tree.poster.hidden = true;
    this.#hotspots?.follow();
    budget.see(this.#guest);
    this.#keepToBudget(stage);
    this.dispatchEvent(new CustomEvent('load', { detail: { level: stage.level } }));
  }

  /** Reports an error of an attribute or the engine. */
  #report(error: unknown): void {
    const event = new CustomEvent('error', { detail: error, cancelable: true });
    if (!this.dispatchEvent(event) || (error instanceof Object && printed.has(error))) return;
    console.error(error);
    if (error instanceof Object) printed.add(error);
  }

  /** Shows the picture of `poster`, if the poster is visible. */
  #showPoster(tree: ShadowTree | null): void {
    if (!tree) return;
    const { picture } = tree;
    const source = this.getAttribute('poster');
    picture.hidden = source === null;
    if (source !== null) picture.src = new URL(source, this.baseURI).href;
    else picture.removeAttribute('src');
  }

  /** Describes the element to assistive technology as an image with the text of `alt`, while `alt` exists. */
  #describe(): void {
    const alt = this.getAttribute('alt');
    if (alt !== null) {
      this.setAttribute('role', 'img');
      this.setAttribute('aria-label', alt);
    } else if (this.#isDescribed) {
      this.removeAttribute('role');
      this.removeAttribute('aria-label');
    }
    this.#isDescribed = alt !== null;
  }
}
