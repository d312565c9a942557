import { cssZoomOf } from '../../core/browser/css-zoom.js';
import { OptionError } from '../../core/errors.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { Actor } from '../../game/components/actor.js';
import type { CameraComponent } from '../../game/components/camera-component.js';
import { rayThrough } from '../../game/components/camera-rays.js';
import { PrimitiveComponent } from '../../game/components/primitive-component.js';
import type { PickedMesh, PickResult } from '../../game/picking/pick-result.js';
import { localPoint } from '../../game/transforms/inverse-rows.js';
import type { Triple } from '../../game/transforms/triples.js';
import type { View, ViewRect } from '../../game/world/view.js';
import type { World } from '../../game/world/world.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type PickedSurface, readPick, readPicks } from '../../proxy/picking.js';
import type { Captures } from '../captures/capture.js';
import type { FrameSettings } from '../options/frame-settings.js';

/** The view under a point of the canvas, and the point within that view. The point is the middle of the picked area. */
interface Aim {
  readonly camera: CameraComponent;
  readonly layers: number;
  /** Size of the view in CSS pixels. */
  readonly size: readonly [number, number];
  readonly x: number;
  readonly y: number;
}

/** A point in pixels of pointer events (`offsetX`, `offsetY`): CSS pixels times the CSS `zoom` of the canvas. */
export interface PickPlace {
  x: number;
  y: number;
}

/** The picked area of a view in CSS pixels from its top left, and the columns and rows of its samples. */
interface PickedArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
}

const WHOLE: ViewRect = { x: 0, y: 0, width: 1, height: 1 };
const ALL_LAYERS = 0xffffffff;
/**
 * Edge length of the square that a pick renders, in CSS pixels. The point of the pick is in the middle of the
 * square.
 */
const PIXEL = 1;
/** Largest count of columns, and of rows, of samples in a rectangle. */
const MOST_COLUMNS = 512;

/** Lets the render thread pick the primitives at a point or in a rectangle, and finds their actors. */
export class Picks {
  readonly #shownWorld: () => World;
  readonly #captures: Captures;
  readonly #settings: FrameSettings;

  /** @param shownWorld returns the world that the canvas shows */
  constructor(shownWorld: () => World, captures: Captures, settings: FrameSettings) {
    this.#shownWorld = shownWorld;
    this.#captures = captures;
    this.#settings = settings;
  }

  /**
   * Finds the surface at a point.
   * @param x pixels of pointer events
   * @param view view to search; `x` and `y` then count from its top left. Null searches the view at the point, and
   *   counts from the canvas's top left
   * @throws OptionError `option-out-of-range`; `option-invalid` if the view is disposed of before the frame that picks
   */
  async pick(x: number, y: number, view?: View | null): Promise<PickResult | null> {
    checkPlace('pick', x, y);
    const isAdded = (): boolean => !view || (this.#shownWorld().updates.views?.views.has(view) ?? false);
    // The result counts if the view existed in the frame that picked, even if the view was disposed of afterwards.
    let wasAdded = isAdded();
    const onPick = (): void => {
      wasAdded = isAdded();
    };
    const picked = wasAdded ? await this.pickPlace({ x, y }, view, false, onPick) : null;
    if (wasAdded) return picked;
    throw new OptionError(
      'option-invalid',
      'pick takes a view of this engine that has not been disposed of. Create one with engine.addView().',
    );
  }

  /**
   * Finds the surface at a point, without checks.
   * @param place read by the frame that picks; it may change until then
   * @param onPick called by that frame
   * @param canWait see `Captures.askNextFrame`
   */
  async pickPlace(
    place: Readonly<PickPlace>,
    view?: View | null,
    canWait = false,
    onPick = (): void => {},
  ): Promise<PickResult | null> {
    // Set by the frame that picks, because the camera may move with each frame.
    let find = (_surface: PickedSurface): PickResult | null => null;
    let isAimed = true;
    const write = (writer: StreamWriter, request: number): void => {
      const world = this.#shownWorld();
      const zoom = zoomOf(view ?? null, world);
      const [x, y] = [place.x / zoom, place.y / zoom];
      const aim = view ? aimIn(view, world, x, y) : this.#aim(x, y);
      isAimed = aim !== null;
      if (aim) {
        const { direction } = rayThrough(aim.camera, aim.x, aim.y, aim.size);
        const from = originOf(aim);
        const meshes = meshesNow(aim.camera.world as World);
        find = (surface) => resultOf(meshes, surface, from, direction);
      }
      writePick(writer, request, aim, aim && pixelOf(aim));
      onPick();
    };
    const bytes = await this.#captures.askNextFrame(this.#settings, write, canWait);
    const surface = isAimed ? readPick(bytes) : null;
    return surface && find(surface);
  }

  /** Finds the meshes in a rectangle (`Engine.pickRectangle`). @throws OptionError `option-out-of-range` */
  async pickRectangle(x: number, y: number, width: number, height: number): Promise<PickedMesh[]> {
    checkPlace('pickRectangle', x, y);
    checkNumber('pickRectangle', 'width', width, 0, 1e9);
    checkNumber('pickRectangle', 'height', height, 0, 1e9);
    let frame: PickedArea | null = null;
    const world = this.#shownWorld();
    let meshes = meshesNow(world);
    const bytes = await this.#captures.askNextFrame(this.#settings, (writer, request) => {
      const [canvasWidth, canvasHeight] = world.viewSize;
      const zoom = world.viewZoom;
      const [left, top] = [Math.max(x / zoom, 0), Math.max(y / zoom, 0)];
      const shownWidth = Math.min((x + width) / zoom, canvasWidth) - left;
      const shownHeight = Math.min((y + height) / zoom, canvasHeight) - top;
      const aim = this.#aim(left + shownWidth / 2, top + shownHeight / 2);
      frame = aim && rectangleOf(aim, shownWidth, shownHeight);
      meshes = meshesNow(aim?.camera.world ?? world);
      writePick(writer, request, frame && aim, frame);
    });
    const { columns, rows } = (frame as PickedArea | null) ?? { columns: 0, rows: 0 };
    const seen = readPicks(bytes, columns, rows);
    if (seen.size === 0) return [];
    return meshes((primitive) => seen.has(primitive));
  }

  #aim(x: number, y: number): Aim | null {
    const world = this.#shownWorld();
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
}

/** Returns the meshes whose primitives pass the test. */
type FindMeshes = (isSeen: (primitive: number) => boolean) => PickedMesh[];

/**
 * Returns a function that searches the meshes that exist in a world now. It is called later, when ids of destroyed
 * primitives may belong to new primitives.
 */
function meshesNow(world: World): FindMeshes {
  const { primitives } = world.updates;
  const { moment } = primitives;
  return (isSeen) =>
    meshesOf(world, (primitive) => isSeen(primitive) && primitives.wasLive(primitive, moment));
}

function resultOf(
  meshes: FindMeshes,
  { primitive: id, distance, uv, normal }: PickedSurface,
  origin: readonly number[],
  direction: readonly number[],
): PickResult | null {
  const [mesh] = meshes((primitive) => primitive === id);
  // The mesh may have been destroyed since the frame.
  if (mesh === undefined) return null;
  const { component, instance } = mesh;
  const position = origin.map((value, axis) => value + (direction[axis] as number) * distance) as Triple;
  const localPosition = localPoint(component.worldFromPlace(instance - component.instance, []), position);
  return { ...mesh, position, localPosition, normal, uv, distance };
}

function meshesOf(world: World, isSeen: (primitive: number) => boolean): PickedMesh[] {
  const found: PickedMesh[] = [];
  for (const { components } of world.levels) {
    for (const component of components) {
      if (!isDrawn(component)) continue;
      for (let place = 0; place < component.placeCount; place++) {
        if (isSeen(component.primitiveOf(place))) found.push(meshOf(component, place));
      }
    }
  }
  return found;
}

/**
 * Returns the pixels of pointer events per CSS pixel of the view's canvas. Null, or a view without a canvas of its own,
 * means the engine's canvas. A texture has no pointer events, so its value is 1.
 */
function zoomOf(view: View | null, world: World): number {
  if (view?.target) return 1;
  return view?.canvas ? cssZoomOf(view.canvas) : world.viewZoom;
}

/** Returns the aim at a point of the view; null if the view shows nothing there. */
function aimIn(view: View, world: World, x: number, y: number): Aim | null {
  const { rect, target, surface, layers, cameraComponent: camera, enabled } = view;
  const [wholeWidth, wholeHeight] = target
    ? [target.width, target.height]
    : surface
      ? (surface.layout ?? [0, 0])
      : world.viewSize;
  const [width, height] = [rect.width * wholeWidth, rect.height * wholeHeight];
  const isInside = x >= 0 && x < width && y >= 0 && y < height;
  const isShown = enabled && world.updates.views?.views.has(view);
  return camera && isShown && isInside ? { camera, layers, size: [width, height], x, y } : null;
}

const isDrawn = (component: object): component is PrimitiveComponent =>
  component instanceof PrimitiveComponent;

/** Returns the mesh at a place. `primitive` is its index among the actor's primitives with the same `instance`. */
function meshOf(component: PrimitiveComponent, place: number): PickedMesh {
  const actor = component.actor as Actor;
  const { instance } = component;
  const drawn = actor.components.filter(isDrawn).filter((each) => each.instance === instance);
  return { actor, component, primitive: drawn.indexOf(component), instance: instance + place };
}

function pixelOf({ x, y }: Aim): PickedArea {
  const size = { width: PIXEL, height: PIXEL, columns: 1, rows: 1 };
  return { left: x - PIXEL / 2, top: y - PIXEL / 2, ...size };
}

/** Clips the rectangle to the view; null if nothing is left. */
function rectangleOf({ x, y, size }: Aim, width: number, height: number): PickedArea | null {
  const left = Math.max(x - width / 2, 0);
  const top = Math.max(y - height / 2, 0);
  const inside = {
    width: Math.min(x + width / 2, size[0]) - left,
    height: Math.min(y + height / 2, size[1]) - top,
  };
  if (!(inside.width > 0 && inside.height > 0)) return null;
  const count = (pixels: number): number => Math.min(Math.max(Math.ceil(pixels), 1), MOST_COLUMNS);
  return { left, top, ...inside, columns: count(inside.width), rows: count(inside.height) };
}

/**
 * Returns the point from which distances are measured: the camera's position, or for an orthographic camera the point
 * of its plane where the ray starts.
 */
function originOf({ camera, x, y, size }: Aim): readonly number[] {
  const { origin, direction } = rayThrough(camera, x, y, size);
  const matrix = camera.worldFromLocal([]);
  if (!camera.orthographic) return [12, 13, 14].map((at) => matrix[at] as number);
  return origin.map((value, axis) => value - (direction[axis] as number) * camera.near);
}

/** Writes the command that picks. @param aim null picks nothing */
function writePick(writer: StreamWriter, request: number, aim: Aim | null, frame: PickedArea | null): void {
  const { inScene = (write: () => void) => write() } = aim?.camera.updates ?? {};
  inScene(() => writePickRecord(writer, request, aim, frame));
}

function writePickRecord(
  writer: StreamWriter,
  request: number,
  aim: Aim | null,
  frame: PickedArea | null,
): void {
  const at = writer.reserve(RenderOpcode.pick, 18);
  const { words, floats } = writer;
  words[at] = request;
  words[at + 1] = aim?.layers ?? 0;
  words[at + 2] = frame?.columns ?? 1;
  words[at + 3] = frame?.rows ?? 1;
  if (!aim || !frame) {
    floats.fill(1, at + 4, at + 10);
    words.fill(0xffffffff, at + 10, at + 11);
    words.fill(0, at + 11, at + 18);
    return;
  }
  const [width, height] = aim.size;
  floats[at + 4] = width;
  floats[at + 5] = height;
  floats[at + 6] = frame.left / width;
  floats[at + 7] = frame.top / height;
  floats[at + 8] = frame.width / width;
  floats[at + 9] = frame.height / height;
  aim.camera.writeLens(writer, at + 10);
}

function checkPlace(call: string, x: number, y: number): void {
  checkNumber(call, 'x', x, -1e9, 1e9);
  checkNumber(call, 'y', y, -1e9, 1e9);
}
