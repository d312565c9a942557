/**
 * Hotspots: children of the element that follow points of the model. A hotspot is hidden while its point is behind the
 * model or faces away. It cannot be focused meanwhile, and has the attribute `data-hidden`.
 *
 *   <button slot="hotspot-lid" data-position="0 1 0" data-normal="0 1 0">
 *
 *   camera moves ─► next animation frame: places ─► that frame is on the canvas: styles
 */
import { isFacing, parsePoint, placeOf } from './hotspot-places.js';
import type { ModelStage } from './model-stage.js';

/** Depth behind a surface at which a point is still visible, in radii of the model. */
const TOLERANCE = 0.02;
/** Least time between two tests whether points are behind the model, in milliseconds. */
const TEST_INTERVAL = 100;

type Point = readonly [number, number, number];

interface Hotspot {
  readonly element: Element;
  /** Element of the shadow tree that is moved. It contains the slot. */
  readonly anchor: HTMLElement;
  position: Point | null;
  normal: Point | null;
  isBehind: boolean;
  /** The last text of `data-position` that was warned about. */
  warned: string | null | undefined;
}

export class Hotspots {
  readonly #host: HTMLElement;
  readonly #layer: HTMLElement;
  readonly #stage: ModelStage;
  /** Hotspots by the name of their slot. */
  readonly #all = new Map<string, Hotspot>();
  readonly #ended: AbortSignal;
  #frame = 0;
  #testedAt = -Infinity;
  #retest: ReturnType<typeof setTimeout> | undefined;

  /** @param layer element of the shadow tree that gets the slots */
  constructor(host: HTMLElement, layer: HTMLElement, stage: ModelStage, ended: AbortSignal) {
    this.#host = host;
    this.#layer = layer;
    this.#stage = stage;
    this.#ended = ended;
    const observer = new MutationObserver(() => this.read());
    const attributeFilter = ['slot', 'data-position', 'data-normal'];
    observer.observe(host, { childList: true, subtree: true, attributes: true, attributeFilter });
    const resize = new ResizeObserver(() => this.follow());
    resize.observe(host);
    stage.controls.addEventListener('change', () => this.follow(), { signal: ended });
    ended.addEventListener('abort', () => {
      observer.disconnect();
      resize.disconnect();
      clearTimeout(this.#retest);
      cancelAnimationFrame(this.#frame);
    });
    this.read();
  }

  /** Reads the children of the element. */
  read(): void {
    const gone = new Set(this.#all.keys());
    for (const element of this.#host.children) {
      const { slot } = element;
      if (!slot.startsWith('hotspot-')) continue;
      const known = gone.delete(slot) ? this.#all.get(slot) : undefined;
      const hotspot = known?.element === element ? known : this.#add(slot, element, known);
      this.#readPoint(hotspot);
    }
    for (const slot of gone) {
      this.#all.get(slot)?.anchor.remove();
      this.#all.delete(slot);
    }
    this.follow();
  }

  /** Places all hotspots in the next animation frame. */
  follow(): void {
    if (this.#all.size === 0 || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#place();
    });
  }

  #add(slot: string, element: Element, before: Hotspot | undefined): Hotspot {
    let anchor = before?.anchor;
    if (!anchor) {
      anchor = document.createElement('div');
      anchor.className = 'anchor';
      const target = document.createElement('slot');
      target.name = slot;
      anchor.append(target);
    }
    // In the order of the children, which is the order of the tab key.
    this.#layer.append(anchor);
    const hotspot = { element, anchor, position: null, normal: null, isBehind: false, warned: undefined };
    this.#all.set(slot, hotspot);
    return hotspot;
  }

  /** Reads the point of a hotspot. A hotspot without a valid point stays where it is. */
  #readPoint(hotspot: Hotspot): void {
    const { element } = hotspot;
    const text = element.getAttribute('data-position');
    const position = parsePoint(text);
    if (position) {
      hotspot.position = position;
      hotspot.normal = parsePoint(element.getAttribute('data-normal'));
      hotspot.warned = undefined;
      this.#testedAt = -Infinity;
    } else if (hotspot.warned !== text) {
      hotspot.warned = text;
      const fault = text === null ? 'has no data-position' : `has the data-position ${JSON.stringify(text)}`;
      console.warn(
        `The hotspot "${element.slot}" of <fencepost-viewer> ${fault}, so it stays where it is. It takes three numbers in metres, such as data-position="0 1.2 0".`,
      );
    }
  }

  #place(): void {
    const { level, lens, world } = this.#stage;
    if (world.disposed.aborted) return;
    const { clientWidth, clientHeight } = this.#host;
    this.#testBehind();
    const places = [...this.#all.values()].map((hotspot) => {
      const { position, normal, isBehind } = hotspot;
      if (!position) return { hotspot, place: null };
      const isShown = level && !isBehind && (!normal || isFacing(position, normal, lens));
      return { hotspot, place: isShown ? placeOf(position, lens, clientWidth, clientHeight) : null };
    });
    // After the animation frame, the engine has produced the frame of this camera.
    setTimeout(async () => {
      await this.#stage.engine.flush({ until: 'executed' }).catch(() => {});
      if (this.#ended.aborted) return;
      for (const { hotspot, place } of places) this.#show(hotspot, place);
    });
  }

  #show({ element, anchor, position }: Hotspot, place: readonly [number, number] | null): void {
    if (!position) return;
    if (place) anchor.style.transform = `translate(${place[0]}px, ${place[1]}px) translate(-50%, -50%)`;
    const isHidden = place === null;
    if (anchor.hasAttribute('data-hidden') === isHidden) return;
    anchor.toggleAttribute('data-hidden', isHidden);
    element.toggleAttribute('data-hidden', isHidden);
  }

  /** Tests which points are behind the model. Rays through large models are slow, so tests have a least interval. */
  #testBehind(): void {
    const { level, radius, lens, world } = this.#stage;
    if (!level) return;
    const wait = this.#testedAt + TEST_INTERVAL - performance.now();
    clearTimeout(this.#retest);
    if (wait > 0) {
      this.#retest = setTimeout(() => this.follow(), wait);
      return;
    }
    this.#testedAt = performance.now();
    const { x, y, z } = lens.position;
    for (const hotspot of this.#all.values()) {
      const { position, normal } = hotspot;
      if (!position) continue;
      const tolerance = TOLERANCE * radius;
      const point = position.map((value, axis) => value + (normal?.[axis] ?? 0) * tolerance);
      const ray = [(point[0] ?? 0) - x, (point[1] ?? 0) - y, (point[2] ?? 0) - z] as const;
      const distance = Math.hypot(...ray);
      const hit = distance > 0 ? world.raycast([x, y, z], ray, { maxDistance: distance }) : null;
      // The depth of the point is measured along the normal of the surface that the ray hits.
      const depth = hit?.normal.reduce(
        (sum, value, axis) => sum + value * ((hit.position[axis] ?? 0) - (point[axis] ?? 0)),
        0,
      );
      hotspot.isBehind = depth !== undefined && depth > tolerance;
    }
  }
}
