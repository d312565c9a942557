/**
 * The engine of a `<Scene>`, from the mount of its element to the unmount:
 *
 *   mount ──► createEngine ──► root ──► children committed ──► first picture: `onReady`, the fallback disappears
 *   unmount ──one microtask──► root unmounted, engine disposed of
 *
 * React's strict mode and fast refresh unmount and mount again at once. Within the microtask, the engine is kept.
 */
import { createElement, type ReactNode, Suspense, useEffect } from 'react';
import { createEngine, type Engine, type EngineOptions, OptionError, StateError } from '../../index.js';
import { elementOf } from '../kinds/view.js';
import { openRoot } from '../scene-root.js';
import type { Instance } from '../tree/instance.js';
import { isSame } from '../tree/same.js';
import type { HtmlLayer } from '../tree/scene-state.js';
import type { HtmlElementState } from './html-elements.js';
import { isPageProp, type SceneProps, START_MODES } from './scene-props.js';

/** The state that the page shows. */
interface Shown {
  /** Whether the first picture is on the canvas. With `start="never"`: whether the components are mounted. */
  readonly isReady: boolean;
  /** The error that ended the scene, to be thrown for the page's error boundary. */
  readonly failure: { readonly thrown: unknown } | null;
  readonly elements: readonly HtmlElementState[];
}

const NOTHING: Shown = { isReady: false, failure: null, elements: [] };

/** Options of the engine that are its properties, too. */
const CHANGEABLE = [
  'background',
  'exposure',
  'toneMapping',
  'hdr',
  'antialias',
  'pixelRatio',
  'resolutionScale',
  'debugView',
  'transparency',
  'renderer',
  'oneFrameThreadLag',
  'effects',
] as const satisfies readonly (keyof EngineOptions & keyof Engine)[];

export class SceneHost implements HtmlLayer {
  /** The element in which the engine creates its canvas. */
  readonly surface: { current: HTMLDivElement | null } = { current: null };
  #props: SceneProps = {};
  #children: ReactNode = null;
  #isMounted = false;
  /** Aborted when the engine is disposed of; `null` without an engine. */
  #life: AbortController | null = null;
  #engine: Engine | null = null;
  #root: ReturnType<typeof openRoot> | null = null;
  #shown = NOTHING;
  #lastId = 0;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly read = (): Shown => this.#shown;
  readonly readOnServer = (): Shown => NOTHING;

  /** Receives the props of each commit, and applies those that have changed. */
  update(props: SceneProps): void {
    const before = this.#props;
    this.#props = props;
    if (this.#engine) this.#applyChanges(this.#engine, before, props);
  }

  /** Receives the children of each commit. */
  render(children: ReactNode): void {
    this.#children = children;
    if (this.#root) this.#renderRoot(this.#root);
  }

  mount(): void {
    this.#isMounted = true;
    if (this.#life) return;
    this.#life = new AbortController();
    void this.#open(this.#life.signal);
  }

  unmount(): void {
    this.#isMounted = false;
    queueMicrotask(() => {
      if (!this.#isMounted) this.#close();
    });
  }

  change(instance: Instance): void {
    const { elements } = this.#shown;
    const known = elements.find((each) => each.instance === instance);
    const others = elements.filter((each) => each !== known);
    this.#show({ elements: [...others, { id: known?.id ?? ++this.#lastId, instance }] });
  }

  remove(instance: Instance): void {
    this.#show({ elements: this.#shown.elements.filter((each) => each.instance !== instance) });
  }

  /** Reports an error that does not end the scene. */
  readonly report = (error: unknown): void => {
    const { onError } = this.#props;
    if (onError) onError(error as Error);
    else console.error(error);
  };

  /** Reports an error that ends the scene. Without `onError`, the page's error boundary receives it. */
  readonly #fail = (error: unknown): void => {
    if (this.#props.onError) this.report(error);
    this.#show({ isReady: false, failure: this.#props.onError ? null : { thrown: error } });
  };

  async #open(signal: AbortSignal): Promise<void> {
    const props = this.#props;
    try {
      checkStart(props.start);
      const { canvas } = props;
      const target = canvas === undefined ? this.surface.current : elementOf('<Scene>', canvas);
      const engine = await createEngine(target as HTMLElement, { ...engineOptions(props), signal });
      if (signal.aborted) await engine.dispose();
      else this.#start(engine, props);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  /** @param created the props from which the engine was created */
  #start(engine: Engine, created: SceneProps): void {
    engine.addEventListener('error', ({ detail }) => this.report(detail));
    this.#engine = engine;
    // A new engine is stopped.
    this.#applyChanges(engine, { ...created, start: 'never' }, this.#props);
    const { report } = this;
    this.#root = openRoot(engine, { html: this, report, onFailure: this.#fail });
    this.#root.scene.baseEffects = this.#props.effects ?? {};
    this.#renderRoot(this.#root);
  }

  #renderRoot(root: ReturnType<typeof openRoot>): void {
    const ready = createElement(Ready, { key: 'ready', onReady: this.#awaitPicture });
    const children = createElement(Suspense, { fallback: null }, this.#children, ready);
    void root.render(children);
  }

  /** Called when no child suspends any more. */
  readonly #awaitPicture = async (): Promise<void> => {
    const engine = this.#engine;
    if (!engine) return;
    try {
      if (this.#props.start !== 'never') await engine.whenReady();
    } catch (error) {
      if (engine === this.#engine) this.report(error);
      return;
    }
    if (engine !== this.#engine || this.#shown.isReady) return;
    this.#show({ isReady: true });
    this.#props.onReady?.(engine);
  };

  #close(): void {
    const [life, engine, root] = [this.#life, this.#engine, this.#root];
    this.#life = this.#engine = this.#root = null;
    life?.abort(
      new StateError('scene-removed', 'The <Scene> was removed while its engine was being created.'),
    );
    root?.unmount();
    engine?.dispose().catch(this.report);
    this.#shown = NOTHING;
  }

  #applyChanges(engine: Engine, before: SceneProps, after: SceneProps): void {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof SceneProps>) {
      if (isSame(before[name], after[name]) || isPageProp(name)) continue;
      try {
        this.#applyChange(engine, name, after);
      } catch (error) {
        this.report(error);
      }
    }
  }

  #applyChange(engine: Engine, name: keyof SceneProps, props: SceneProps): void {
    if (name === 'start') {
      const when = checkStart(props.start);
      if (when !== 'never') engine.start({ when });
      else engine.stop();
    } else if (name === 'effects') {
      engine.effects = props.effects ?? {};
      if (this.#root) this.#root.scene.baseEffects = props.effects ?? {};
    } else if (name === 'threading') {
      engine.setThreading(props.threading ?? 'render').catch(this.report);
    } else if ((CHANGEABLE as readonly string[]).includes(name)) {
      const fallback = engine.settings.list().find((setting) => setting.name === name)?.default;
      Object.assign(engine, { [name]: props[name] ?? fallback });
    } else {
      throw new OptionError(
        'setting-fixed',
        `${name} of <Scene> can't change while the scene is shown. Give the <Scene> another key, which creates another engine.`,
      );
    }
  }

  #show(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Calls a function once it is committed, which is when none of the components beside it suspends. */
function Ready({ onReady }: { readonly onReady: () => void }): null {
  useEffect(() => {
    onReady();
  }, [onReady]);
  return null;
}

function engineOptions(props: SceneProps): EngineOptions {
  return Object.fromEntries(
    Object.entries(props).filter(
      ([name, value]) => value !== undefined && name !== 'start' && !isPageProp(name),
    ),
  );
}

/** @throws OptionError `option-invalid` */
function checkStart(start: SceneProps['start'] = 'always'): NonNullable<SceneProps['start']> {
  if (START_MODES.includes(start)) return start;
  throw new OptionError(
    'option-invalid',
    `start of <Scene> is ${JSON.stringify(start)}; it has to be one of ${START_MODES.join(', ')}.`,
  );
}
