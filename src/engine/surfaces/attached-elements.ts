import { cssZoomOf } from '../../core/browser/css-zoom.js';
import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, member, optional } from '../../core/options/members.js';
import type { SceneComponent } from '../../game/components/scene-component.js';
import type { PickResult } from '../../game/picking/pick-result.js';
import { raycast } from '../../game/picking/raycast.js';
import type { World } from '../../game/world/world.js';
import type { WaitableFence } from '../../sync/waitable.js';
import { anchorOf, type ElementAnchor, type ElementTarget } from './element-anchors.js';

const OPTIONS = {
  /**
   * For an actor or a component: point in its local space, in metres. The middle of the element is placed over it.
   * Default: the origin.
   */
  offset: optional(anything<VectorLike>()),
  /**
   * Whether to hide the element while a mesh covers the point. Over an actor, the actor's own meshes count only with
   * `'all'`. A mesh counts only if the point lies behind it by more than 0.1 % of the point's distance to the camera.
   * So a surface does not hide a point on it. Default false.
   */
  occlude: byDefault(
    member<boolean | 'all'>((value) => typeof value === 'boolean' || value === 'all', "true, false or 'all'"),
    false,
  ),
};

export type AttachElementOptions = Shaped<typeof OPTIONS>;

/** An element that follows an actor or a point. */
export interface ElementAttachment {
  /** Detaches the element and restores its style. An element that `attachElement` has inserted is removed again. */
  dispose(): void;
}

interface AttachedElementsHost {
  /** Returns the world that the canvas shows. */
  world(): World;
  /** Returns the engine's current canvas. */
  canvas(): HTMLElement;
  readonly completed: WaitableFence;
  /** Returns whether the component is in a world of the engine. */
  isInEngine(component: SceneComponent): boolean;
  reportError(error: unknown): void;
}

interface Attached {
  readonly element: HTMLElement;
  readonly anchor: ElementAnchor;
  readonly occlude: boolean | 'all';
  /** Whether an error was reported, so that it is not repeated every frame. */
  isErrorReported: boolean;
  /** Detaches the element. */
  readonly release: () => void;
}

/**
 * Largest depth behind a surface at which a point is still visible, as a share of the point's distance to the camera.
 */
const OCCLUSION_TOLERANCE = 1e-3;

/**
 * Checks the arguments of `attachElement`.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function checkAttachment(
  element: HTMLElement,
  target: ElementTarget,
  options: AttachElementOptions,
  shownWorld: World,
): Pick<Attached, 'anchor' | 'occlude'> {
  const call = 'attachElement';
  const { occlude, offset } = fillOptions(call, options, OPTIONS);
  if (!(globalThis.HTMLElement && element instanceof HTMLElement)) {
    const text = `${call} takes an element of the page first: ${call}(element, actor).`;
    throw new OptionError('option-invalid', text);
  }
  return { anchor: anchorOf(target, offset, shownWorld), occlude };
}

/** Functions that detach elements, for all engines of the page, because an element can have only one target. */
const releases = /* @__PURE__ */ new WeakMap<HTMLElement, () => void>();

/** Position of an element in a frame, in pixels of the canvas's pointer events; null if the element is hidden. */
type Place = readonly [left: number, top: number] | null;

/**
 * Elements of the page over points of the world. When a frame is published, their positions are computed for that
 * frame's camera. The elements move when the frame is complete, together with the picture:
 *
 *   frame N is published ─► places by its camera and transforms ┄┄ frame N is complete ─► styles
 */
export class AttachedElements {
  readonly #all = new Set<Attached>();
  readonly #host: AttachedElementsHost;

  constructor(host: AttachedElementsHost) {
    this.#host = host;
  }

  /** Detaches the elements of a world when that world is disposed of. */
  watch(world: World): void {
    world.disposed.addEventListener('abort', () => {
      for (const { anchor, release } of this.#all)
        if (anchor.component?.isDestroyed || (anchor.component ?? anchor).world === world) release();
    });
  }

  /**
   * Attaches an element to an actor, a component or a point.
   * @param signal detaches the element when it is aborted
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
   */
  attach(
    element: HTMLElement,
    target: ElementTarget,
    options: AttachElementOptions,
    signal: AbortSignal,
  ): void {
    const { anchor, occlude } = checkAttachment(element, target, options, this.#host.world());
    const { component } = anchor;
    if (component && !this.#host.isInEngine(component)) {
      throw new OptionError(
        'option-invalid',
        `attachElement was given "${component.name}", which is in no world of this engine.`,
      );
    }
    // End an earlier attachment first, so that the saved style is the page's own.
    releases.get(element)?.();
    const { cssText } = element.style;
    const wasDetached = !element.isConnected;
    const release = (): void => {
      if (!this.#all.delete(attached)) return;
      releases.delete(element);
      element.style.cssText = cssText;
      if (wasDetached) element.remove();
    };
    const attached = { element, anchor, occlude, isErrorReported: false, release };
    this.#all.add(attached);
    releases.set(element, release);
    signal.addEventListener('abort', release);
    Object.assign(element.style, { position: 'absolute', left: '0', top: '0', visibility: 'hidden' });
    if (wasDetached) this.#host.canvas().after(element);
  }

  /** Computes the positions of all elements for a published frame. Called per frame that sends changes. */
  readonly place = (frame: number): void => {
    if (this.#all.size === 0) return;
    const places = new Map<Attached, Place>();
    for (const attached of this.#all) {
      if (attached.anchor.component?.isDestroyed) attached.release();
      else places.set(attached, this.#placeOrReport(attached));
    }
    this.#host.completed.whenReached(frame).then(
      () => this.#show(places),
      // The engine has failed, and reports that itself.
      () => {},
    );
  };

  /** Places one element. An error, for example in a method that the page overrides, is reported and not thrown. */
  #placeOrReport(attached: Attached): Place {
    try {
      return this.#placeOf(attached);
    } catch (error) {
      this.#reportOnce(attached, error);
      return null;
    }
  }

  #reportOnce(attached: Attached, error: unknown): void {
    if (!attached.isErrorReported) this.#host.reportError(error);
    attached.isErrorReported = true;
  }

  #placeOf({ anchor, occlude }: Attached): Place {
    const world = this.#host.world();
    const camera = world.updates.camera;
    const { component, bearer } = anchor;
    if (!camera || component?.isShown === false || (component ?? anchor).world !== world) return null;
    const point = anchor.position();
    const seen = camera.project(point);
    const [width, height] = world.viewSize;
    const zoom = world.viewZoom;
    if (!seen || seen.depth < camera.near || seen.depth > camera.far) return null;
    if (seen.x < 0 || seen.y < 0 || seen.x > width * zoom || seen.y > height * zoom) return null;
    if (occlude) {
      const { origin, direction } = camera.ray(seen.x, seen.y);
      const maxDistance = Math.hypot(...point.map((value, axis) => value - (origin[axis] as number)));
      const hit = raycast(world, origin, direction, { maxDistance });
      const isOwn = occlude !== 'all' && hit?.actor === bearer;
      if (hit && !isOwn && isBehind(point, hit, maxDistance)) return null;
    }
    return [seen.x, seen.y];
  }

  #show(places: ReadonlyMap<Attached, Place>): void {
    // The picture begins inside the canvas's border.
    const canvas = this.#host.canvas();
    const canvasZoom = cssZoomOf(canvas);
    const originX = (canvas.offsetLeft + canvas.clientLeft) * canvasZoom;
    const originY = (canvas.offsetTop + canvas.clientTop) * canvasZoom;
    // Read all styles before writing any, so that the browser computes styles once.
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
        this.#reportOnce(attached, error);
      }
    }
  }
}

/**
 * Returns whether the point is behind the hit surface by more than the tolerance. Because of rounding, a picked point
 * is not exactly on its surface. The depth is measured along the surface's normal, because rounding can move the hit of
 * a grazing ray far along the ray.
 * @param distance metres from the camera to the point
 */
function isBehind(point: readonly number[], { position, normal }: PickResult, distance: number): boolean {
  const depth = normal.reduce(
    (sum, value, axis) => sum + value * ((position[axis] as number) - (point[axis] as number)),
    0,
  );
  return depth > OCCLUSION_TOLERANCE * distance;
}
