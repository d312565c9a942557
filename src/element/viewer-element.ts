/**
 * `<fencepost-viewer>`: shows a model in a page without any script. The engine is created when the element enters a
 * document, and disposed of when the element leaves it. An element that is moved within a document keeps its engine.
 *
 *   attributes ── viewerAttributes ──► ModelStage ──► Engine
 *   events load, progress, error ◄────────┘
 *
 *   shadow tree   div ─ canvas        created by the engine
 *                 slot                the poster: visible until the first picture, or always if no picture can be drawn
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
import { initialOptions, viewerAttributes } from './viewer-attributes.js';

/** Events by name. */
export interface FencepostViewerEventMap {
  /** The picture shows the file of `src`. */
  load: CustomEvent<{ readonly level: Level }>;
  progress: CustomEvent<LoadProgress>;
  /** An attribute or the engine has failed. The error is printed unless `preventDefault` is called. */
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

/** The base class. Without `HTMLElement`, as on servers that render pages, the module can still be imported. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class FencepostViewer extends Base {
  static readonly observedAttributes: readonly string[] = [...Object.keys(viewerAttributes), 'alt'];

  /** Aborted when the element leaves the document; `null` outside of a document. */
  #connection: AbortController | null = null;
  #stage: ModelStage | null = null;
  #poster: HTMLElement | null = null;
  /** Pending work of attributes. */
  readonly #work = new Set<Promise<void>>();
  /** Latest failure by attribute, or of `engine`'s start. The next change of the attribute clears it. */
  readonly #failures = new Map<string, unknown>();
  /** Latest change of each attribute, to recognise superseded work. */
  readonly #latest = new Map<string, object>();
  /** Whether the element has set its role and label from `alt`. */
  #isDescribed = false;

  /** URL of the shown file, from the attribute `src`; `null` for none. */
  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(source: string | null) {
    if (source === null) this.removeAttribute('src');
    else this.setAttribute('src', source);
  }

  /**
   * The engine, or `null` until it has been created; see `whenReady`. It is disposed of when the element
   * leaves the document.
   */
  get engine(): Engine | null {
    return this.#stage?.engine ?? null;
  }

  /** The loaded file, or `null` before one is loaded. */
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
   * Resolves when the picture shows the state of all attributes.
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
    while (this.#work.size > 0) await Promise.all(this.#work);
    if (connection === this.#connection) for (const failure of this.#failures.values()) throw failure;
    if (connection !== this.#connection || !this.#stage) {
      throw new StateError('element-removed', 'This <fencepost-viewer> was removed from its document.');
    }
    await this.#stage.engine.whenReady();
  }

  connectedCallback(): void {
    if (this.#connection) return;
    const connection = new AbortController();
    this.#connection = connection;
    this.#describe();
    this.#track('engine', this.#open(connection.signal));
  }

  disconnectedCallback(): void {
    // A moved element is connected again by the time this callback runs.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  /** Adopts a style sheet of the new document, because style sheets are bound to a document. */
  adoptedCallback(): void {
    if (this.shadowRoot) this.#adoptSheet(this.shadowRoot);
  }

  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (name === 'alt') this.#describe();
    else if (this.#stage && before !== value) this.#apply(this.#stage, name);
  }

  async #open(signal: AbortSignal): Promise<void> {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    this.#adoptSheet(root);
    const box = document.createElement('div');
    this.#poster = document.createElement('slot');
    root.replaceChildren(box, this.#poster);
    const engine = await createEngine(box, { ...initialOptions(this), signal }).catch((error: unknown) => {
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

  /** Adopts the style sheet. A constructed sheet works even under policies that forbid style elements. */
  #adoptSheet(root: ShadowRoot): void {
    const { CSSStyleSheet } = this.ownerDocument.defaultView ?? window;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  }

  #close(): void {
    this.#connection?.abort();
    this.#connection = null;
    this.#stage = null;
    this.#failures.clear();
    this.#latest.clear();
  }

  #apply(stage: ModelStage, name: string): void {
    const apply = async (): Promise<void> => {
      await viewerAttributes[name]?.(stage, this.getAttribute(name), {
        progress: (detail) => this.dispatchEvent(new CustomEvent('progress', { detail })),
        reapply: (other) => this.#apply(stage, other),
        reapplyDefault: (other) => {
          if (!this.hasAttribute(other)) this.#apply(stage, other);
        },
        loaded: () => this.#showLoaded(stage),
      });
      // A disposed engine must not be drawn.
      if (stage === this.#stage) stage.refresh();
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
    if (this.#poster) this.#poster.hidden = true;
    this.dispatchEvent(new CustomEvent('load', { detail: { level: stage.level } }));
  }

  #report(error: unknown): void {
    const event = new CustomEvent('error', { detail: error, cancelable: true });
    if (this.dispatchEvent(event)) console.error(error);
  }

  /** Stops the movement of the model while the element is out of view. */
  #watchView(stage: ModelStage, signal: AbortSignal): void {
    const observer = new IntersectionObserver(([entry]) => {
      stage.isInView = entry?.isIntersecting ?? true;
      stage.refresh();
    });
    observer.observe(this);
    signal.addEventListener('abort', () => observer.disconnect());
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
