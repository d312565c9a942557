/**
 * `<fencepost-viewer>`: a model in a page, without a script of the page's.
 *
 *   attributes ── viewerAttributes ──► ModelStage ──► Engine         made when the element enters a document, ended when it
 *   events load, progress, error ◄────────┘                         leaves for good; one that is moved keeps its engine
 *
 *   shadow tree   div ─ canvas        the engine's own
 *                 slot                what is shown until the first picture, and where there can be none
 */
import {
  createEngine,
  type Engine,
  type FencepostError,
  type Level,
  type LoadProgress,
  StateError,
} from '../index.js';
import { ModelStage } from './model-stage.js';
import { firstOptions, viewerAttributes } from './viewer-attributes.js';

/** The events by name. */
export interface FencepostViewerEventMap {
  /** The file of `src` is in the picture. */
  load: CustomEvent<{ readonly level: Level }>;
  progress: CustomEvent<LoadProgress>;
  /** Something failed, by a `FencepostError`; it is printed unless the default is prevented. */
  error: CustomEvent<FencepostError>;
}

const STYLE = `
  :host { display: block; position: relative; width: 300px; height: 200px; overflow: hidden; contain: strict; }
  :host([hidden]) { display: none; }
  div, slot { position: absolute; inset: 0; }
  slot { display: block; }
  slot[hidden] { display: none; }
  :host(:not([controls])) canvas { touch-action: auto !important; }
`;

/** Where there are no elements, the module can be imported all the same: by servers that render pages. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class FencepostViewer extends Base {
  static readonly observedAttributes: readonly string[] = [...Object.keys(viewerAttributes), 'alt'];

  /** Of this stay in a document; aborted at its end. */
  #stay: AbortController | null = null;
  #stage: ModelStage | null = null;
  #poster: HTMLElement | null = null;
  /** What is under way. */
  readonly #work = new Set<Promise<void>>();
  /** What failed last, by the attribute; cleared by another value. */
  readonly #failures = new Map<string, unknown>();
  /** The latest change of each attribute. */
  readonly #latest = new Map<string, object>();

  /** The file that is shown: the attribute `src`; null: none. */
  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(source: string | null) {
    if (source === null) this.removeAttribute('src');
    else this.setAttribute('src', source);
  }

  /** Null until it is there; see `whenReady`. It is ended with the element's stay in the document. */
  get engine(): Engine | null {
    return this.#stage?.engine ?? null;
  }

  /** What is loaded; null: nothing yet. */
  get level(): Level | null {
    return this.#stage?.level ?? null;
  }

  override addEventListener<Name extends keyof FencepostViewerEventMap>(
    type: Name,
    listener: (event: FencepostViewerEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options);
  }

  override removeEventListener<Name extends keyof FencepostViewerEventMap>(
    type: Name,
    listener: (event: FencepostViewerEventMap[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void {
    super.removeEventListener(type, listener, options);
  }

  /**
   * Resolves when the picture shows all that the attributes say.
   * @throws what failed of it; StateError `element-not-connected`, `element-removed`
   */
  async whenReady(): Promise<void> {
    const stay = this.#stay;
    if (!stay) {
      throw new StateError(
        'element-not-connected',
        'This <fencepost-viewer> is in no document, so it has no engine. Append it first.',
      );
    }
    while (this.#work.size > 0) await Promise.all(this.#work);
    if (stay === this.#stay) for (const failure of this.#failures.values()) throw failure;
    if (stay !== this.#stay || !this.#stage) {
      throw new StateError('element-removed', 'This <fencepost-viewer> was removed from its document.');
    }
    await this.#stage.engine.whenReady();
  }

  connectedCallback(): void {
    if (this.#stay) return;
    const stay = new AbortController();
    this.#stay = stay;
    this.#describe();
    this.#follow('engine', this.#open(stay.signal));
  }

  disconnectedCallback(): void {
    // One that is moved to another place is connected again by then.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  /** Another document's sheets are not worn in this one. */
  adoptedCallback(): void {
    if (this.shadowRoot) this.#dress(this.shadowRoot);
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (name === 'alt') this.#describe();
    else if (this.#stage && before !== value) this.#apply(this.#stage, name);
  }

  async #open(signal: AbortSignal): Promise<void> {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    this.#dress(root);
    const box = document.createElement('div');
    this.#poster = document.createElement('slot');
    root.replaceChildren(box, this.#poster);
    const engine = await createEngine(box, { ...firstOptions(this), signal }).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (!engine) return;
    if (signal.aborted) {
      await engine.dispose();
      return;
    }
    signal.addEventListener('abort', () => void engine.dispose());
    engine.addEventListener('error', ({ detail }) => this.#report(detail));
    const stage = new ModelStage(engine);
    this.#stage = stage;
    this.#watchView(stage, signal);
    for (const name of Object.keys(viewerAttributes)) this.#apply(stage, name);
  }

  /** A sheet of its own is allowed where the page's policy allows no style elements. */
  #dress(root: ShadowRoot): void {
    const { CSSStyleSheet } = this.ownerDocument.defaultView ?? window;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  }

  #close(): void {
    this.#stay?.abort();
    this.#stay = null;
    this.#stage = null;
    this.#failures.clear();
    this.#latest.clear();
  }

  #apply(stage: ModelStage, name: string): void {
    const apply = async (): Promise<void> => {
      await viewerAttributes[name]?.(stage, this.getAttribute(name), {
        progress: (detail) => this.dispatchEvent(new CustomEvent('progress', { detail })),
        again: (other) => this.#apply(stage, other),
        byDefault: (other) => {
          if (!this.hasAttribute(other)) this.#apply(stage, other);
        },
        loaded: () => this.#showLoaded(stage),
      });
      // Of an engine that has ended meanwhile nothing is drawn.
      if (stage === this.#stage) stage.refresh();
    };
    this.#follow(name, apply());
  }

  /** Counts work as under way, and keeps and reports its failure unless a later change of the attribute has taken its place. */
  #follow(name: string, work: Promise<void>): void {
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
    if (this.#poster) this.#poster.hidden = true;
    this.dispatchEvent(new CustomEvent('load', { detail: { level: stage.level } }));
  }

  #report(error: unknown): void {
    const event = new CustomEvent('error', { detail: error, cancelable: true });
    if (this.dispatchEvent(event)) console.error(error);
  }

  /** What can't be seen is not drawn. */
  #watchView(stage: ModelStage, signal: AbortSignal): void {
    const observer = new IntersectionObserver(([entry]) => {
      stage.isInView = entry?.isIntersecting ?? true;
      stage.refresh();
    });
    observer.observe(this);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** For those who don't see it: an image, with the text of `alt`. */
  #describe(): void {
    const alt = this.getAttribute('alt');
    if (alt === null) return;
    this.setAttribute('role', 'img');
    this.setAttribute('aria-label', alt);
  }
}
