/**
 * Translates gestures into changes of a gizmo's actor, and shows the gizmo in each frame.
 *
 *   press ─► ray ─► handle in reach, or none: the press belongs to other controls
 *   move  ─► ray ─► GizmoDrag ─► actor            no press ─► highlighted handle
 *   update of the world ─► GizmoFrame of the actor and the camera ─► GizmoModel
 */
import { POSITION, ROTATION, SCALE } from '../../../proxy/motion/motion.js';
import type { Actor } from '../../components/actor.js';
import type { SceneUpdates } from '../../updates/scene-updates.js';
import type { GestureTarget, PointerDrag } from '../canvas-gestures.js';
import type { CanvasPart } from '../canvas-part.js';
import { InputRank } from '../controlled-canvas.js';
import type { InputHost } from '../controls-host.js';
import { isDriven } from '../driven-actors.js';
import { cameraOf, layersOf } from '../pointer-rays.js';
import { GizmoDrag } from './gizmo-drag.js';
import { frameAt, type GizmoFrame, rayInFrame } from './gizmo-frame.js';
import { type Handle, handleAt } from './gizmo-handles.js';
import { GizmoModel } from './gizmo-model.js';
import type { GizmoSettings } from './gizmo-options.js';

type EventType = 'start' | 'change' | 'end';

/** Parts of a transform that the handles of a mode change. */
const PARTS = { translate: POSITION, rotate: ROTATION, scale: SCALE } as const;

/** The handle under a pointer. */
interface Reach {
  readonly actor: Actor;
  readonly frame: GizmoFrame;
  readonly handle: Handle;
}

export class GizmoGestures implements GestureTarget {
  readonly rank = InputRank.gizmo;
  readonly clickAfterDrag = false;
  readonly withholdsClicks = true;
  readonly usesKeys = false;
  readonly usesMenuButton = false;
  readonly #host: InputHost;
  readonly #settings: GizmoSettings;
  readonly #onEvent: (type: EventType, actor: Actor) => void;
  #actor: Actor | null = null;
  #model: GizmoModel | null = null;
  /** Layers of the model, one bit each. */
  #layers = 1;
  /** The updates that place the model. */
  #updates: SceneUpdates | null = null;
  #drag: GizmoDrag | null = null;
  #pointerId = 0;
  /** Movement since the press, in heights of the picture. */
  #right = 0;
  #down = 0;

  constructor(host: InputHost, settings: GizmoSettings, onEvent: (type: EventType, actor: Actor) => void) {
    this.#host = host;
    this.#settings = settings;
    this.#onEvent = onEvent;
  }

  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }

  /** The actor that the gizmo changes; `null` without one, or after its destruction. */
  get actor(): Actor | null {
    return this.#actor?.isDestroyed ? null : this.#actor;
  }

  /** Shows the handles of the current mode at an actor, or nothing. A drag that has begun goes on. */
  show(actor: Actor | null): void {
    this.#updates?.beforeSend.delete(this.#place);
    this.#model?.destroy();
    const world = actor?.world ?? null;
    this.#actor = actor;
    this.#updates = world?.updates ?? null;
    this.#layers = actor?.mesh?.layers ?? 1;
    this.#model = world && new GizmoModel(world, this.#settings.mode, this.#layers);
    this.#updates?.beforeSend.add(this.#place);
    this.redraw();
  }

  /** Requests a frame. After the engine's end, there is nothing to draw. */
  redraw(): void {
    const { engine } = this.#host;
    if (!engine.world.disposed.aborted) engine.invalidate();
  }

  takesPress(event: PointerEvent, part: CanvasPart): boolean {
    const reach = event.button === 0 ? this.#reachOf(event, part) : null;
    const camera = cameraOf(this.#host);
    if (!reach || !camera) return false;
    const { actor, frame, handle } = reach;
    if (isDriven(actor, PARTS[this.#settings.mode])) return false;
    const ray = part.rayAt(camera, event.clientX, event.clientY);
    this.#drag = new GizmoDrag(actor, frame, this.#settings.mode, handle, ray);
    this.#pointerId = event.pointerId;
    this.#right = 0;
    this.#down = 0;
    this.#highlight(handle);
    return true;
  }

  begin(): void {
    if (this.#drag) this.#onEvent('start', this.#drag.actor);
  }

  finish(): void {
    const drag = this.#drag;
    this.#drag = null;
    this.#highlight(null);
    if (drag) this.#onEvent('end', drag.actor);
  }

  drag({ event: { pointerId, clientX, clientY }, part, right, down }: PointerDrag): void {
    const drag = this.#drag;
    const camera = cameraOf(this.#host);
    if (!drag || drag.actor.isDestroyed || pointerId !== this.#pointerId || !camera) return;
    // The page has given the actor a motion during the drag.
    if (isDriven(drag.actor, PARTS[drag.mode])) {
      this.finish();
      return;
    }
    this.#right += right;
    this.#down += down;
    const ray = part.rayAt(camera, clientX, clientY);
    const before = stateOf(drag.actor);
    drag.move({ ray, right: this.#right, down: this.#down }, this.#settings.snap);
    if (stateOf(drag.actor) === before) return;
    this.redraw();
    this.#onEvent('change', drag.actor);
  }

  hover(event: PointerEvent | null, part: CanvasPart): void {
    if (this.#drag) return;
    // A finger hovers only while it is pressed.
    const canHover = event && event.pointerType !== 'touch' && event.buttons === 0;
    this.#highlight(canHover ? (this.#reachOf(event, part)?.handle ?? null) : null);
  }

  #highlight(handle: Handle | null): void {
    if (this.#model?.highlight(handle)) this.redraw();
  }

  #reachOf({ clientX, clientY, pointerType }: PointerEvent, part: CanvasPart): Reach | null {
    const camera = cameraOf(this.#host);
    const frame = this.#frame();
    const { actor } = this;
    if (!camera || !frame || !actor || !this.#model) return null;
    if ((layersOf(this.#host, camera) & this.#layers) === 0) return null;
    const ray = rayInFrame(part.rayAt(camera, clientX, clientY), frame);
    const view = rayInFrame({ origin: frame.center, direction: frame.view }, frame).direction;
    const handle = handleAt(ray, this.#model.handles, view, pointerType === 'touch');
    return handle && { actor, frame, handle };
  }

  #frame(): GizmoFrame | null {
    const { mode, space, size, isEnabled } = this.#settings;
    const { actor } = this;
    if (!actor || !isEnabled) return null;
    return frameAt(actor.root, cameraOf(this.#host), space === 'local' || mode === 'scale', size);
  }

  /** Called per update of the world, before it is sent. */
  readonly #place = (): void => this.#model?.place(this.#frame());
}

/** The transform of an actor as a text, for comparisons. */
const stateOf = ({ position, rotation, scale }: Actor): string =>
  [...position, ...rotation, scale.x, scale.y, scale.z].join();
