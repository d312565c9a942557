import { cssZoomOf } from '../../core/browser/css-zoom.js';
import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean, checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import { type AttachTarget, SceneComponent } from '../../game/components/scene-component.js';
import type { PickResult } from '../../game/picking/pick-result.js';
import { raycast } from '../../game/picking/raycast.js';
import type { World } from '../../game/world/world.js';
import type { WaitableFence } from '../../sync/waitable.js';

const OPTIONS = {
  /** Metres in the actor's own space: the place that the middle of the element is over. Default: its origin. */
  offset: optional(anything<VectorLike>()),
  /** Whether the element is hidden while a mesh of another actor is in front of the place, by more than 0.1 % of its distance. Default false. */
  occlude: optional(anything<boolean>()),
};

export type AttachElementOptions = Shaped<typeof OPTIONS>;

/** An element that follows an actor. */
export interface ElementAttachment {
  /** The element is as it was before. */
  dispose(): void;
}

interface AttachedElementsHost {
  /** That the canvas shows. */
  world(): World;
  /** What is drawn on now. */
  canvas(): HTMLElement;
  readonly completed: WaitableFence;
  /** Whether it is in a world of the engine. */
  isOurs(component: SceneComponent): boolean;
  reportError(error: unknown): void;
}

interface Attached {
  readonly element: HTMLElement;
  readonly component: SceneComponent;
  readonly offset: readonly number[];
  readonly occlude: boolean;
  /** What goes wrong with it has been told: once, and not with every frame. */
  isTold: boolean;
  /** What gives the element back. */
  readonly release: () => void;
}

/** Share of the distance to the camera by which a place may lie behind a surface without being hidden by it. */
const OCCLUSION_TOLERANCE = 1e-3;

/** @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range` */
export function checkAttachment(
  element: HTMLElement,
  target: AttachTarget,
  options: AttachElementOptions,
): Pick<Attached, 'component' | 'offset' | 'occlude'> {
  const call = 'attachElement';
  checkOptions(call, options, OPTIONS);
  if (globalThis.FENCEPOST_DEVELOPMENT && options.occlude !== undefined)
    checkBoolean(call, 'occlude', options.occlude);
  const offset = checkVector(call, 'offset', options.offset ?? [0, 0, 0], 3);
  for (const value of offset) checkNumber(call, 'offset', value, -1e30, 1e30);
  const component = (target as { readonly root?: SceneComponent } | null)?.root ?? target;
  if (
    !(globalThis.HTMLElement && element instanceof HTMLElement) ||
    !(component instanceof SceneComponent) ||
    component.isDestroyed
  ) {
    throw new OptionError('option-invalid', `${call} takes an element, and a living actor or component.`);
  }
  return { component, offset, occlude: options.occlude ?? false };
}

/** What gives an element back, whichever engine has it: it can be over one place. */
const releases = /* @__PURE__ */ new WeakMap<HTMLElement, () => void>();

/** Where an element belongs in a frame, in pixels of the canvas's pointer events; null: it is not seen. */
type Place = readonly [left: number, top: number] | null;

/**
 * Elements of the page over places of the world. They are placed by the camera of a frame when that frame is complete, so that
 * they move with the picture and not ahead of it:
 *
 *   frame N is published ─► places by its camera and transforms ┄┄ frame N is complete ─► styles
 */
export class AttachedElements {
  readonly #all = new Set<Attached>();
  readonly #host: AttachedElementsHost;

  constructor(host: AttachedElementsHost) {
    this.#host = host;
  }

  /** A world that the canvas may show. */
  watch(world: World): void {
    world.disposed.addEventListener('abort', () => {
      for (const { component, release } of this.#all)
        if (component.isDestroyed || component.world === world) release();
    });
  }

  /**
   * @param signal aborted: the element is given back
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
   */
  attach(
    element: HTMLElement,
    target: AttachTarget,
    options: AttachElementOptions,
    signal: AbortSignal,
  ): void {
    const { component, offset, occlude } = checkAttachment(element, target, options);
    if (!this.#host.isOurs(component)) {
      throw new OptionError(
        'option-invalid',
        `attachElement was given "${component.name}", which is in no world of this engine.`,
      );
    }
    // The attachment before has ended, so that the style that is kept is the page's own.
    releases.get(element)?.();
    const { cssText } = element.style;
    const isOurs = !element.isConnected;
    const release = (): void => {
      if (!this.#all.delete(attached)) return;
      releases.delete(element);
      element.style.cssText = cssText;
      if (isOurs) element.remove();
    };
    const attached = { element, component, offset, occlude, isTold: false, release };
    this.#all.add(attached);
    releases.set(element, release);
    signal.addEventListener('abort', release);
    Object.assign(element.style, { position: 'absolute', left: '0', top: '0', visibility: 'hidden' });
    if (isOurs) this.#host.canvas().after(element);
  }

  /** Per frame, with or without a tick. */
  readonly place = (frame: number): void => {
    if (this.#all.size === 0) return;
    const places = new Map<Attached, Place>();
    for (const attached of this.#all) {
      if (attached.component.isDestroyed) attached.release();
      else places.set(attached, this.#placeOrTell(attached));
    }
    this.#host.completed.whenReached(frame).then(
      () => this.#show(places),
      // The engine has failed, which it says itself.
      () => {},
    );
  };

  /** What goes wrong with one element, as where the page has put something of its own in the place of a function, must not end the frame. */
  #placeOrTell(attached: Attached): Place {
    try {
      return this.#placeOf(attached);
    } catch (error) {
      this.#tell(attached, error);
      return null;
    }
  }

  #tell(attached: Attached, error: unknown): void {
    if (!attached.isTold) this.#host.reportError(error);
    attached.isTold = true;
  }

  #placeOf({ component, offset, occlude }: Attached): Place {
    const world = this.#host.world();
    const camera = world.updates.camera;
    if (!camera || !component.isShown || component.world !== world) return null;
    const matrix = component.worldFromLocal([]);
    const point = [0, 1, 2].map((row) => {
      const along = [0, 1, 2].map((axis) => (matrix[axis * 4 + row] as number) * (offset[axis] as number));
      return along.reduce((sum, value) => sum + value, matrix[12 + row] as number);
    });
    const seen = camera.project(point);
    const [width, height] = world.viewSize;
    const zoom = world.viewZoom;
    if (!seen || seen.depth < camera.near || seen.depth > camera.far) return null;
    if (seen.x < 0 || seen.y < 0 || seen.x > width * zoom || seen.y > height * zoom) return null;
    if (occlude) {
      const { origin, direction } = camera.ray(seen.x, seen.y);
      const maxDistance = Math.hypot(...point.map((value, axis) => value - (origin[axis] as number)));
      const hit = raycast(world, origin, direction, { maxDistance });
      if (hit && hit.actor !== component.actor && isBehind(point, hit, maxDistance)) return null;
    }
    return [seen.x, seen.y];
  }

  #show(places: ReadonlyMap<Attached, Place>): void {
    // The picture begins within the canvas's border.
    const canvas = this.#host.canvas();
    const canvasZoom = cssZoomOf(canvas);
    const originX = (canvas.offsetLeft + canvas.clientLeft) * canvasZoom;
    const originY = (canvas.offsetTop + canvas.clientTop) * canvasZoom;
    // All are read before any is written, so that styles are computed once.
    const all = [...places].map(([attached, place]) => {
      return { attached, place, zoom: cssZoomOf(attached.element) };
    });
    for (const { attached, place, zoom } of all) {
      if (!this.#all.has(attached)) continue;
      const [left = 0, top = 0] = place ?? [];
      const [x, y] = [(originX + left) / zoom, (originY + top) / zoom];
      try {
        const { style } = attached.element;
        style.visibility = place ? 'visible' : 'hidden';
        if (place) style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
      } catch (error) {
        this.#tell(attached, error);
      }
    }
  }
}

/**
 * A point that was picked lies on its surface but for rounding, before it or behind it. Measured across the surface, because rounding
 * moves the point where a ray meets a surface far along a ray that grazes it.
 * @param distance from the camera to the point, metres
 */
function isBehind(point: readonly number[], { position, normal }: PickResult, distance: number): boolean {
  const depth = normal.reduce(
    (sum, value, axis) => sum + value * ((position[axis] as number) - (point[axis] as number)),
    0,
  );
  return depth > OCCLUSION_TOLERANCE * distance;
}
