import type { StreamWriter } from '../../core/stream.js';
import type { Actor } from '../../game/actor.js';
import type { CameraComponent } from '../../game/camera-component.js';
import { rayThrough } from '../../game/camera-rays.js';
import type { PrimitiveComponent } from '../../game/mesh-component.js';
import type { PickResult } from '../../game/pick-result.js';
import type { ViewRect } from '../../game/view.js';
import type { World } from '../../game/world.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type PickedSurface, readPick } from '../../proxy/picking.js';
import type { Captures } from './capture.js';
import type { FrameSettings } from './frame-settings.js';

/** A view under a place of the canvas, and where in it that is. */
interface Aim {
  readonly camera: CameraComponent;
  readonly layers: number;
  /** Of the view, CSS pixels. */
  readonly size: readonly [number, number];
  readonly x: number;
  readonly y: number;
}

const WHOLE: ViewRect = { x: 0, y: 0, width: 1, height: 1 };
const ALL_LAYERS = 0xffffffff;
/** A pick sees a square of this many CSS pixels, of which it takes what is in the middle. */
const PIXEL = 1;

/** Asks the render thread what is seen where, and finds whose it is. */
export class Picks {
  readonly #world: World;
  readonly #captures: Captures;
  readonly #settings: FrameSettings;

  constructor(world: World, captures: Captures, settings: FrameSettings) {
    this.#world = world;
    this.#captures = captures;
    this.#settings = settings;
  }

  async pick(x: number, y: number): Promise<PickResult | null> {
    // Of the frame that looks: where the camera is may change with each.
    let find = (_surface: PickedSurface): PickResult | null => null;
    let isAimed = true;
    const bytes = await this.#captures.askNextFrame(this.#settings, (writer, request) => {
      const aim = this.#aim(x, y);
      isAimed = aim !== null;
      if (aim) {
        const { direction } = rayThrough(aim.camera, aim.x, aim.y, aim.size);
        const from = originOf(aim);
        find = (surface) => this.#resultOf(surface, from, direction);
      }
      writePick(writer, request, aim);
    });
    const surface = isAimed ? readPick(bytes) : null;
    return surface && find(surface);
  }

  #aim(x: number, y: number): Aim | null {
    const world = this.#world;
    const [width, height] = world.viewSize;
    const isInside = (rect: ViewRect): boolean =>
      x >= rect.x * width &&
      x < (rect.x + rect.width) * width &&
      y >= rect.y * height &&
      y < (rect.y + rect.height) * height;
    if (!isInside(WHOLE)) return null;
    const view = world.updates.views?.shown.find(({ rect }) => isInside(rect));
    const camera = view?.cameraComponent ?? world.updates.camera;
    if (!camera) return null;
    const rect = view?.rect ?? WHOLE;
    return {
      camera,
      layers: view?.layers ?? ALL_LAYERS,
      size: [rect.width * width, rect.height * height],
      x: x - rect.x * width,
      y: y - rect.y * height,
    };
  }

  #resultOf(
    { primitive: id, distance, uv, normal }: PickedSurface,
    origin: readonly number[],
    direction: readonly number[],
  ): PickResult | null {
    for (const { components } of this.#world.levels) {
      for (const component of components) {
        if (!isDrawn(component) || component.primitiveId !== id) continue;
        const actor = component.actor as Actor;
        const { instance } = component;
        const drawn = actor.components.filter(isDrawn).filter((each) => each.instance === instance);
        const position = origin.map((value, axis) => value + (direction[axis] as number) * distance);
        return {
          actor,
          component,
          primitive: drawn.indexOf(component),
          instance,
          position: position as [number, number, number],
          normal,
          uv,
          distance,
        };
      }
    }
    // It has gone since.
    return null;
  }
}

// By what it has rather than its class: pages that pick nothing would keep that for this file.
const isDrawn = (component: object): component is PrimitiveComponent => 'primitiveId' in component;

/** What distances count from: the camera, or for an orthographic one the point beside it that looks at the place. */
function originOf({ camera, x, y, size }: Aim): readonly number[] {
  const { origin, direction } = rayThrough(camera, x, y, size);
  const matrix = camera.worldFromLocal([]);
  if (!camera.orthographic) return [12, 13, 14].map((at) => matrix[at] as number);
  return origin.map((value, axis) => value - (direction[axis] as number) * camera.near);
}

/** @param aim null: nothing is looked at */
function writePick(writer: StreamWriter, request: number, aim: Aim | null): void {
  const at = writer.reserve(RenderOpcode.pick, 14);
  const { words, floats } = writer;
  words[at] = request;
  words[at + 1] = aim?.layers ?? 0;
  if (!aim) {
    floats.fill(1, at + 2, at + 7);
    words.fill(0xffffffff, at + 7, at + 8);
    words.fill(0, at + 8, at + 14);
    return;
  }
  const [width, height] = aim.size;
  floats[at + 2] = width / height;
  floats[at + 3] = (aim.x - PIXEL / 2) / width;
  floats[at + 4] = (aim.y - PIXEL / 2) / height;
  floats[at + 5] = PIXEL / width;
  floats[at + 6] = PIXEL / height;
  aim.camera.writeLens(writer, at + 7);
}
