/**
 * Drags one actor after another in a plane.
 *
 *   press ─► ray ─► world.raycast ─► a draggable actor, or none: the press belongs to other controls
 *   move  ─► ray ─► point in the plane through the grabbed point ─► grid ─► bounds ─► actor
 */
import { POSITION } from '../../proxy/motion/motion.js';
import type { Actor } from '../components/actor.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { PickResult } from '../picking/pick-result.js';
import type { Triple } from '../transforms/triples.js';
import type { GestureTarget, PointerDrag } from './canvas-gestures.js';
import type { CanvasPart } from './canvas-part.js';
import { InputRank } from './controlled-canvas.js';
import type { InputHost } from './controls-host.js';
import { type DragSettings, placed } from './drag-options.js';
import { isDriven } from './driven-actors.js';
import { backOf, cameraOf, layersOf, minus, plus, pointOnPlane } from './pointer-rays.js';
import { moveInWorld } from './world-placement.js';

interface Grab {
  readonly actor: Actor;
  readonly pointerId: number;
  /** The grabbed point. */
  readonly point: Triple;
  /** Unit normal of the plane. */
  readonly normal: Triple;
  /** The actor's position in the world at the press. */
  readonly from: Triple;
}

export class ActorDrag implements GestureTarget {
  readonly rank = InputRank.actors;
  readonly usesKeys = false;
  readonly usesMenuButton = false;
  readonly #host: InputHost;
  readonly #settings: DragSettings;
  readonly #actors: Set<Actor>;
  readonly #onEvent: (type: 'start' | 'change' | 'end', actor: Actor) => void;
  #grab: Grab | null = null;

  constructor(
    host: InputHost,
    settings: DragSettings,
    actors: Set<Actor>,
    onEvent: (type: 'start' | 'change' | 'end', actor: Actor) => void,
  ) {
    this.#host = host;
    this.#settings = settings;
    this.#actors = actors;
    this.#onEvent = onEvent;
  }

  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }

  get clickAfterDrag(): boolean {
    return this.#settings.clickAfterDrag;
  }

  takesPress({ button, pointerId, clientX, clientY }: PointerEvent, part: CanvasPart): boolean {
    const camera = cameraOf(this.#host);
    for (const actor of this.#actors) if (actor.isDestroyed) this.#actors.delete(actor);
    if (button !== 0 || !camera?.world || this.#actors.size === 0) return false;
    const { origin, direction } = part.rayAt(camera, clientX, clientY);
    const hit = camera.world.raycast(origin, direction, { layers: layersOf(this.#host, camera) });
    const actor = hit && this.#draggable(hit);
    if (!hit || !actor || isDriven(actor, POSITION)) return false;
    const { plane } = this.#settings;
    const normal = plane === 'view' ? backOf(camera) : plane;
    this.#grab = { actor, pointerId, point: hit.position, normal, from: actor.worldPosition };
    return true;
  }

  /** Returns the hit actor, or the actor that it is attached to, whichever can be dragged. */
  #draggable({ component }: PickResult): Actor | null {
    for (let up: SceneComponent | null = component; up; up = up.parent) {
      if (up.actor && this.#actors.has(up.actor)) return up.actor;
    }
    return null;
  }

  begin(): void {
    if (this.#grab) this.#onEvent('start', this.#grab.actor);
  }

  finish(): void {
    const grab = this.#grab;
    this.#grab = null;
    if (grab) this.#onEvent('end', grab.actor);
  }

  drag({ event: { pointerId, clientX, clientY }, part }: PointerDrag): void {
    const grab = this.#grab;
    const camera = cameraOf(this.#host);
    if (!grab || grab.actor.isDestroyed || grab.pointerId !== pointerId || !camera) return;
    const point = pointOnPlane(part.rayAt(camera, clientX, clientY), grab.point, grab.normal);
    if (!point) return;
    const to = placed(plus(grab.from, minus(point, grab.point)), grab.normal, this.#settings);
    if (String(to) === String(grab.actor.worldPosition)) return;
    // The page has given the actor a motion during the drag.
    if (isDriven(grab.actor, POSITION)) {
      this.finish();
      return;
    }
    moveInWorld(grab.actor.root, to);
    this.#host.engine.invalidate();
    this.#onEvent('change', grab.actor);
  }
}
