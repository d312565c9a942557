import { createElement, type ReactNode } from 'react';
import { type Engine, OptionError, StateError } from '../index.js';
import { Boundary } from './boundary.js';
import { checkNames } from './check-names.js';
import { SceneContext } from './scene-context.js';
import { closeTree, openTree, renderTree } from './tree/reconciler.js';
import { type HtmlLayer, SceneState } from './tree/scene-state.js';

/** A tree of components in the world of an engine. */
export interface SceneRoot {
  /**
   * Shows these components instead of the previous ones. Resolves after React's commit. Rejects with StateError
   * `scene-removed` after `unmount`.
   */
  render(children: ReactNode): Promise<void>;
  /** Removes all components, and unloads the files that they have loaded. The engine continues. */
  unmount(): void;
}

export interface SceneRootOptions {
  /** Receives errors that no error boundary catches. By default, they are printed to the console. */
  readonly onError?: (error: unknown) => void;
}

interface OpenRootOptions {
  readonly html: HtmlLayer | null;
  /** Receives errors of work that runs outside of React, such as a file that has failed. */
  readonly report: (error: unknown) => void;
  /** Receives errors of components. The scene is then empty. */
  readonly onFailure: (error: unknown) => void;
}

/** Opens a tree. @returns the root, and the state of its scene */
export function openRoot(
  engine: Engine,
  options: OpenRootOptions,
): SceneRoot & { readonly scene: SceneState } {
  const scene = new SceneState(engine, options.html, options.report);
  const tree = openTree(scene);
  let hasEnded = false;
  return {
    scene,
    render: async (children) => {
      if (hasEnded)
        throw new StateError(
          'scene-removed',
          'render() of a scene root was called after unmount(). Create another root with createSceneRoot(engine).',
        );
      const guarded = createElement(Boundary, { onError: options.onFailure }, children);
      const element = createElement(SceneContext.Provider, { value: scene }, guarded);
      return new Promise((resolve) => {
        renderTree(tree, element, resolve);
      });
    },
    unmount: () => {
      if (hasEnded) return;
      hasEnded = true;
      closeTree(tree);
      scene.models.end();
    },
  };
}

/**
 * Shows components of `fencepost/react` in an engine that the page has created, for pages without `<Scene>` and for
 * tests with `backend: 'null'`. `<Html>` needs a `<Scene>`.
 *
 * @throws OptionError `option-invalid`, `option-unknown`
 * @example
 * const root = createSceneRoot(engine);
 * await root.render(<Mesh geometry={boxGeometry()} />);
 */
export function createSceneRoot(engine: Engine, options: SceneRootOptions = {}): SceneRoot {
  checkEngine(engine);
  checkNames('createSceneRoot', options, ['onError']);
  const { onError = console.error } = options;
  if (typeof onError !== 'function')
    throw new OptionError(
      'option-invalid',
      `onError of createSceneRoot is ${JSON.stringify(onError)}; it has to be a function.`,
    );
  const { render, unmount } = openRoot(engine, { html: null, report: onError, onFailure: onError });
  return { render, unmount };
}

/** @throws OptionError `option-invalid` */
function checkEngine(engine: unknown): void {
  if (typeof (engine as Partial<Engine> | null | undefined)?.world?.spawn === 'function') return;
  const given = engine ? 'something else' : String(engine);
  throw new OptionError(
    'option-invalid',
    `createSceneRoot takes an engine, and was given ${given}. Pass the result of createEngine, or show a <Scene> with createRoot of react-dom.`,
  );
}
