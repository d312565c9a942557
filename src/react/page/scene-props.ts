import type { CSSProperties, ReactNode } from 'react';
import type { Engine, EngineOptions } from '../../index.js';
import type { ElementOrRef } from '../kinds/view.js';

/** Values of `start`. */
export const START_MODES = ['always', 'changed', 'never'] as const;

/** Props of `<Scene>`: all options of `createEngine` but `signal`, and these. */
export interface SceneProps extends Omit<EngineOptions, 'signal'> {
  /**
   * When frames are drawn. `'always'` (default) draws at every animation frame. `'changed'` draws only while the
   * picture changes, as `engine.start({ when: 'changed' })` does. Both call ticks at every animation frame. `'never'`
   * draws and ticks only in calls of `engine.step`.
   */
  readonly start?: (typeof START_MODES)[number] | undefined;
  /**
   * Shown over the canvas until the first picture, and if there will be none. With `start="never"`: until the
   * components are mounted.
   */
  readonly fallback?: ReactNode;
  /** Called once the first picture is on the canvas. With `start="never"`: once the components are mounted. */
  readonly onReady?: ((engine: Engine) => void) | undefined;
  /**
   * Receives the errors of the engine, and those of components that no error boundary in the scene catches. Without it,
   * an error that ends the scene is thrown to the page's error boundary, and others are printed to the console.
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /** A canvas or an element of the page to draw into, or a ref of one. Default: a canvas in the scene's own element. */
  readonly canvas?: ElementOrRef | undefined;
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  /** Style of the element around the canvas. By default, it fills the element around it. */
  readonly style?: CSSProperties | undefined;
  readonly role?: string | undefined;
  readonly 'aria-label'?: string | undefined;
  readonly children?: ReactNode;
}

/** Props of the element around the canvas. */
const ELEMENT = new Set(['id', 'className', 'style', 'role']);
const OWN = new Set(['fallback', 'onReady', 'onError', 'canvas', 'children']);

export const isElementProp = (name: string): boolean => ELEMENT.has(name) || /^(aria|data)-/.test(name);

/** Returns whether a prop is no option of the engine. */
export const isPageProp = (name: string): boolean => OWN.has(name) || isElementProp(name);
