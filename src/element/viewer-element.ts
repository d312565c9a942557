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
import { captureBlob, checkPictureOptions, type ViewerPictureOptions } from './picture-blob.js';
import { adoptSheet } from './shadow-tree.js';
import { type EngineMember, SharedEngine } from './shared-engine.js';
import { watchAttributes } from './unknown-attributes.js';
import { initialOptions, viewerAttributes } from './viewer-attributes.js';
import { ViewerEventTarget } from './viewer-events.js';
import { FACE_ATTRIBUTES, ViewerFace, type ViewerTexts, viewerTexts } from './viewer-face.js';
import { watchVisibility } from './visibility.js';

/** The engine of all elements. Its own canvas is in no document and has no size, so it is never drawn. */
const shared = new SharedEngine((options) => createEngine(document.createElement('div'), options));
const budget = new MemoryBudget();
/** Errors that were printed. An error of the engine is reported by every element and printed once. */
const printed = new WeakSet<object>();

export class FencepostViewer extends ViewerEventTarget {
  static readonly observedAttributes: readonly string[] = [
    ...new Set([...Object.keys(viewerAttributes), ...FACE_ATTRIBUTES, 'loading']),
  ];

  /** Sentences of all elements. Translate them before the first element is inserted. */
  static readonly texts: ViewerTexts = viewerTexts;

  /**
   * Largest memory of the models of all elements on the GPU, in bytes: geometry and textures. Beyond it, models out of
   * view are unloaded, the one that was seen least recently first. They are loaded again when they come into view.
   * Throws OptionError `option-out-of-range`.
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
  #face: ViewerFace | null = null;
  #isInView = false;
  /** Whether the stage is being created or exists. */
  #isStarted = false;
  /** Pending work of attributes. */
  readonly #work = new Set<Promise<void>>();
  /** Latest failure by attribute, or of `engine`'s start. The next change of the attribute clears it. */
  readonly #failures = new Map<string, unknown>();
  /** Latest change of each attribute, to recognise superseded work. */
  readonly #latest = new Map<string, object>();
  /** This element, as the shared engine and the memory budget see it. */
  readonly #guest: EngineMember & Tenant = ((viewer: FencepostViewer) => ({
    get fileName(): string | null {
      return viewer.src === null ? null : new URL(viewer.src, viewer.baseURI).href;
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

  /** Text for people who do not see the picture, from the attribute `alt`; `null` for none. */
  get alt(): string | null {
    return this.getAttribute('alt');
  }
  set alt(text: string | null) {
    if (text === null) this.removeAttribute('alt');
    else this.setAttribute('alt', text);
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

  /** Whether a button opens the model in augmented reality. It needs the attribute `ar` and a viewer of the system. */
  get arState(): 'available' | 'unavailable' {
    return this.#face?.arViewer ? 'available' : 'unavailable';
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
      throw removedError();
    }
    if (this.#stage.isResting) await this.#comeBack(this.#stage);
    await this.#stage?.whenDrawn();
  }

  /**
   * Captures the picture as a file, in any size.
   *
   * @throws OptionError for wrong options, or if the browser cannot encode the type; and all errors of `whenReady`
   * @example const file = await viewer.toBlob({ type: 'image/webp', quality: 0.9, width: 1200 });
   */
  async toBlob(options: ViewerPictureOptions = {}): Promise<Blob> {
    checkPictureOptions(options);
    await this.whenReady();
    const view = this.view;
    if (!view) throw removedError();
    return captureBlob(view, this.clientWidth / this.clientHeight || 1, options);
  }

  connectedCallback(): void {
    if (this.#connection) return;
    const connection = new AbortController();
    this.#connection = connection;
    this.#face = new ViewerFace(this);
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
    if (before === value) return;
    this.#face?.change(name);
    if (name === 'loading') this.#startIfEager();
    else if (this.#stage) this.#apply(this.#stage, name);
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
    if (this.#isStarted || !this.#connection || !this.#face) return;
    this.#isStarted = true;
    this.#track('engine', this.#open(this.#face, this.#connection.signal));
  }

  async #open(face: ViewerFace, signal: AbortSignal): Promise<void> {
    const { box, hotspots } = face.tree;
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
    face.describe();
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
    if (name === 'src' && this.src !== null) this.#face?.announce('loading');
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
      // The picture of a file is on the canvas by now.
      if (name !== 'src') stage.refresh();
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
        if (name === 'src' || name === 'engine') this.#face?.announce('failed');
        this.#report(error);
      })
      .finally(() => this.#work.delete(followed));
    this.#work.add(followed);
  }

  #showLoaded(stage: ModelStage): void {
    this.#face?.announce('shown');
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
}

const removedError = (): StateError =>
  new StateError('element-removed', 'This <fencepost-viewer> was removed from its document.');
