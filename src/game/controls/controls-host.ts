/** The surroundings of a camera's controls: an engine with its canvas, or a view with its own canvas or a part. */
import { OptionError, SceneError } from '../../core/errors.js';
import type { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { viewOfCanvas } from '../world/canvas-views.js';
import { type ControlsEngine, type View, type ViewRect, WHOLE } from '../world/view.js';

/**
 * The source of the user's input: an engine, a view that is shown in the page, or the canvas of such a view. A view in
 * a part of the engine's canvas uses the input of its part.
 */
export type ControlsSource = ControlsEngine | View | HTMLCanvasElement;

/** The checked source of input. */
export interface InputHost {
  readonly engine: ControlsEngine;
  /** The world whose end ends the controls. */
  readonly world: ControlsEngine['world'];
  /** The view that hosts the controls; `null` for the engine. */
  readonly view: View | null;
}

/** The source of input of a camera's controls. `world` is that of the camera. */
export interface ControlsHost extends InputHost {
  readonly camera: Actor<CameraComponent>;
}

/**
 * Checks the host and the camera of a function that creates controls.
 * @param what name of the function
 * @throws OptionError `option-invalid`; SceneError `camera-controlled` if something else moves the camera; StateError
 *   `engine-disposed`, `world-destroyed`
 */
export function openHost(what: string, host: ControlsSource, camera: Actor<CameraComponent>): ControlsHost {
  const example = `a camera: ${what}(engine, world.addCamera()).`;
  const root = camera?.root;
  if (!(root instanceof CameraComponent)) throw wrongArguments(what, example);
  const { engine, view } = findHost(what, host, example);
  checkActor(what, camera, engine);
  checkShown(what, engine, view);
  const world = root.world ?? engine.world;
  world.disposed.throwIfAborted();
  checkFree(what, camera);
  return { engine, world, view, camera };
}

/**
 * Checks the host of a function that creates controls of actors.
 * @param example call of the function, for messages
 * @throws OptionError `option-invalid`; StateError `engine-disposed`, `world-destroyed`
 */
export function openInput(what: string, host: ControlsSource, example: string): InputHost {
  const { engine, view } = findHost(what, host, example);
  checkShown(what, engine, view);
  const world = view?.cameraComponent?.world ?? engine.world;
  world.disposed.throwIfAborted();
  return { engine, world, view };
}

function findHost(
  what: string,
  host: ControlsSource,
  example: string,
): { readonly engine: ControlsEngine; readonly view: View | null } {
  if (typeof host === 'string') {
    const text = `${what} takes no selector. Pass the engine, or a view on a canvas of the page.`;
    throw new OptionError('option-invalid', text);
  }
  if (typeof host !== 'object' || !host) throw wrongArguments(what, example);
  const view = viewOf(what, host);
  const engine = view ? view.engine : (host as ControlsEngine);
  if (view && !engine) throw unusableView(what, view);
  if (!engine?.canvas || !engine.world) throw wrongArguments(what, example);
  engine.world.disposed.throwIfAborted();
  return { engine, view };
}

/** Throws `option-invalid` if an actor is destroyed or belongs to another engine. */
export function checkActor(what: string, actor: Actor, { world }: ControlsEngine): void {
  const { updates, isDestroyed } = actor.root;
  if (!isDestroyed && (!updates || updates.resources === world.updates.resources)) return;
  throw new OptionError(
    'option-invalid',
    isDestroyed
      ? `${what} was given "${actor.name}", which is destroyed. Pass a living actor.`
      : `${what} was given "${actor.name}", which belongs to another engine. Pass an actor of this engine.`,
  );
}

/** Throws `option-invalid` if an actor is in another world than the one that the host shows. */
export function checkWorld(what: string, { name, world }: Actor, { engine, view }: InputHost): void {
  const shown = view ? view.cameraComponent?.world : engine.world;
  if (!world || !shown || world === shown) return;
  throw new OptionError(
    'option-invalid',
    `${what} was given "${name}", which is in another world than ${view ? 'the view' : 'the engine'} shows. Pass a view whose camera is in the world of the actor.`,
  );
}

function checkShown(what: string, engine: ControlsEngine, view: View | null): void {
  if (view && (view.isDisposed || !canvasOf(engine, view))) throw unusableView(what, view);
}

function unusableView(what: string, { isDisposed }: View): OptionError {
  const flaw = isDisposed ? 'was disposed of' : 'has no canvas in the page';
  return new OptionError(
    'option-invalid',
    `${what} was given a view that ${flaw}, so it gets no input. Pass the engine, or a view on a canvas of the page.`,
  );
}

function wrongArguments(what: string, example: string): OptionError {
  return new OptionError(
    'option-invalid',
    `${what} takes an engine, or a view or its canvas, and ${example}`,
  );
}

/** Throws `camera-controlled` if other controls or a motion move the camera. */
function checkFree(what: string, { name, root }: Actor<CameraComponent>): void {
  const { controls, mover } = root;
  if (!controls && !mover) return;
  const other = controls ? `other controls (${controls})` : `its motion (${mover?.motion.declaration.name})`;
  const remedy = controls ? 'Dispose of these controls first' : 'Set camera.motion to null first';
  const message = `${what}() can't move "${name}", because ${other} already ${controls ? 'move' : 'moves'} it. ${remedy}.`;
  throw new SceneError('camera-controlled', message);
}

/** Returns the view that is the host or has this canvas; `null` for an engine. */
function viewOf(what: string, host: object): View | null {
  if ('cameraComponent' in host) return host as View;
  if (!('tagName' in host)) return null;
  const view = viewOfCanvas(host);
  if (view) return view;
  throw new OptionError(
    'option-invalid',
    `The element given to ${what} is not the canvas of a view. Pass the engine or the view instead.`,
  );
}

/** Returns the canvas in the page; `null` for a texture or an OffscreenCanvas. */
export function canvasOf(engine: ControlsEngine, view: View | null): HTMLElement | null {
  if (!view) return engine.canvas;
  if (view.target) return null;
  const canvas = view.surface ? view.canvas : engine.canvas;
  return canvas && 'tagName' in canvas ? canvas : null;
}

/** Returns the part of the canvas that belongs to the controls. */
export const areaOf = (view: View | null): ViewRect => view?.rect ?? WHOLE;

/** Returns the position in the drawing order of the canvas; a view with a canvas of its own has no view beneath. */
export const orderOf = (view: View | null): number => (view && !view.surface ? view.order : 0);

/** Returns the width of the controls' picture divided by its height; 1 if it is unknown. */
export function proportionsOf({ view, world }: ControlsHost): number {
  const [width, height] = view?.surface?.layout ?? world.viewSize;
  const area = areaOf(view);
  return (width * area.width) / (height * area.height) || 1;
}
