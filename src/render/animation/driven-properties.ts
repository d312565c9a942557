import { textureTransform } from '../../proxy/images/texture-transform.js';
import {
  MATERIAL_FLOATS,
  MaterialOffset,
  SLOT_FLOATS,
  TEXTURE_SLOT_COUNT,
} from '../../proxy/materials/material-layout.js';
import {
  CAMERA_PROPERTIES,
  CameraProperty,
  EMISSIVE_COLOR,
  EMISSIVE_STRENGTH,
  LIGHT_PROPERTIES,
  MATERIAL_PROPERTIES,
  UV_PART_FLOATS,
  UV_PARTS,
} from '../../proxy/motion/clip-properties.js';
import { ClipPath, firstOf } from '../../proxy/motion/clip-tracks.js';
import type { Scene } from '../scene/scene.js';
import type { ViewParameters } from '../scene/view-parameters.js';

const LENGTHS: Readonly<Record<number, number>> = {
  [ClipPath.material]: MATERIAL_PROPERTIES,
  [ClipPath.light]: LIGHT_PROPERTIES,
  [ClipPath.camera]: CAMERA_PROPERTIES,
};

/**
 * Driven numbers of one material, of one light or of the lens of one view. `rest` holds the numbers that the game has
 * sent.
 */
interface Place {
  /** The view that looks through the camera; `null` for a material or a light. */
  readonly view: ViewParameters | null;
  readonly rest: Float32Array;
  /** Values written last. If a current value differs, the game has changed it. */
  readonly written: Float32Array;
  isNew: boolean;
}

/**
 * Properties that clips drive besides transforms and weights: numbers of a material, or of a node's light or
 * camera. A camera's numbers are driven in each view that looks through it. Numbers that the game writes are
 * the *rest*, as in `DrivenNode`.
 *
 *   begin ─► sums of 0 ─► add, per track ─► finish ─► add, per additive track
 *     ─► write: rest, then sums + rest's share ─┬─► material table, marked
 *                                               ├─► lights
 *                                               └─► lens of the view
 */
export class DrivenProperties {
  /** Number of playback tracks that drive these properties. */
  tracks = 0;
  readonly path: number;
  /** Id of the material, or of the node. */
  readonly id: number;
  readonly #scene: Scene;
  readonly #sums: Float32Array;
  readonly #weights: Float32Array;
  readonly #values: Float32Array;
  /** 1 for each property that a track drives, or has driven. */
  readonly #isDriven: Uint8Array;
  readonly #places: Place[] = [];

  constructor(scene: Scene, path: number, id: number) {
    this.#scene = scene;
    this.path = path;
    this.id = id;
    const length = LENGTHS[path] as number;
    this.#sums = new Float32Array(length);
    this.#weights = new Float32Array(length);
    this.#values = new Float32Array(length);
    this.#isDriven = new Uint8Array(length);
    if (path !== ClipPath.camera) this.#addPlace(null);
  }

  /** Whether the material or node exists. */
  get exists(): boolean {
    const { nodes, materials } = this.#scene;
    return this.path === ClipPath.material ? materials.has(this.id) : nodes.has(this.id);
  }

  /** Adds a track that drives `size` numbers. @param word see `pathWord` */
  addTrack(word: number, size: number): void {
    this.tracks++;
    this.#isDriven.fill(1, firstOf(word), firstOf(word) + size);
  }

  /** Per command list: clears the sums, and finds the views that look through the camera. */
  begin(): void {
    this.#sums.fill(0);
    this.#weights.fill(0);
    if (this.path !== ClipPath.camera) return;
    const { view, addedViews } = this.#scene;
    for (let index = this.#places.length - 1; index >= 0; index--) {
      const watched = (this.#places[index] as Place).view;
      if (watched !== view && !addedViews.includes(watched as ViewParameters)) this.#places.splice(index, 1);
    }
    this.#watch(view);
    for (let index = 0; index < addedViews.length; index++) this.#watch(addedViews[index] as ViewParameters);
  }

  /**
   * Per track and command list: adds a sampled value to the sums.
   * @param first in additive playbacks: the clip's first value, which is subtracted from `value`; null:
   * `value` itself is added
   */
  add(word: number, size: number, value: Float32Array, first: Float32Array | null, weight: number): void {
    const at = firstOf(word);
    for (let index = 0; index < size; index++) {
      const place = at + index;
      const difference = (value[index] as number) - (first ? (first[index] as number) : 0);
      this.#sums[place] = (this.#sums[place] as number) + difference * weight;
      if (!first) this.#weights[place] = (this.#weights[place] as number) + weight;
    }
  }

  /** Per command list, before additive tracks are added: normalises sums whose weights add up to more than 1. */
  finish(): void {
    for (let index = 0; index < this.#sums.length; index++) {
      const weight = this.#weights[index] as number;
      if (weight > 1) this.#sums[index] = (this.#sums[index] as number) / weight;
    }
  }

  /** Writes the results. @returns whether a value has changed */
  write(): boolean {
    let hasChanged = false;
    for (let index = 0; index < this.#places.length; index++) {
      if (this.#writePlace(this.#places[index] as Place)) hasChanged = true;
    }
    return hasChanged;
  }

  #watch(view: ViewParameters): void {
    for (const place of this.#places) if (place.view === view) return;
    if (view.node === this.id) this.#addPlace(view);
  }

  #addPlace(view: ViewParameters | null): void {
    const length = this.#sums.length;
    this.#places.push({
      view,
      rest: new Float32Array(length),
      written: new Float32Array(length),
      isNew: true,
    });
  }

  #writePlace(place: Place): boolean {
    const { view, rest, written } = place;
    // The view may look through another camera by now.
    if (view && view.node !== this.id) {
      place.isNew = true;
      return false;
    }
    const values = this.#values;
    this.#read(view, values);
    const direct = this.path === ClipPath.material ? MATERIAL_FLOATS : values.length;
    for (let index = 0; index < direct; index++) {
      if (place.isNew || values[index] !== written[index]) rest[index] = values[index] as number;
    }
    place.isNew = false;
    if (this.path === ClipPath.material) splitParts(rest);
    for (let index = 0; index < values.length; index++) {
      if (this.#isDriven[index] === 0) continue;
      const share = Math.max(1 - (this.#weights[index] as number), 0);
      values[index] = (this.#sums[index] as number) + share * (rest[index] as number);
    }
    if (this.path === ClipPath.material) joinParts(values, rest, this.#isDriven);
    if (view) {
      const { near, far } = CameraProperty;
      values[far] = Math.max(values[far] as number, values[near] as number);
    }
    for (let index = 0; index < direct; index++) written[index] = values[index] as number;
    return this.#store(view, values, direct);
  }

  #read(view: ViewParameters | null, values: Float32Array): void {
    const { materials, lights } = this.#scene;
    if (view) {
      values[CameraProperty.extentY] = view.extentY;
      values[CameraProperty.near] = view.near;
      values[CameraProperty.far] = view.far;
      return;
    }
    const isMaterial = this.path === ClipPath.material;
    const from = isMaterial ? materials.storage.floats : lights.parameters;
    const at = isMaterial ? this.id * materials.storage.slotWords : this.#light * LIGHT_PROPERTIES;
    const count = isMaterial ? MATERIAL_FLOATS : LIGHT_PROPERTIES;
    for (let index = 0; index < count; index++) values[index] = from[at + index] ?? 0;
  }

  #store(view: ViewParameters | null, values: Float32Array, count: number): boolean {
    const { materials, lights } = this.#scene;
    if (view) {
      const { extentY, near, far } = view;
      view.extentY = values[CameraProperty.extentY] as number;
      view.near = values[CameraProperty.near] as number;
      view.far = values[CameraProperty.far] as number;
      return view.extentY !== extentY || view.near !== near || view.far !== far;
    }
    const isMaterial = this.path === ClipPath.material;
    const light = isMaterial ? 0 : this.#light;
    if (light < 0) return false;
    const to = isMaterial ? materials.storage.floats : lights.parameters;
    const at = isMaterial ? this.id * materials.storage.slotWords : light * LIGHT_PROPERTIES;
    let isSame = true;
    for (let index = 0; index < count; index++) {
      if (to[at + index] === values[index]) continue;
      to[at + index] = values[index] as number;
      isSame = false;
    }
    if (isMaterial && !isSame) materials.noteWritten(this.id);
    return !isSame;
  }

  /** Index of the node's light; −1: the node has no light. */
  get #light(): number {
    const { node, length } = this.#scene.lights;
    for (let light = 0; light < length; light++) if (node[light] === this.id) return light;
    return -1;
  }
}

/**
 * Splits values of a material's rest into the parts that clips drive: emissive colour and strength, and the
 * parts of texture transforms.
 */
function splitParts(rest: Float32Array): void {
  for (let channel = 0; channel < 3; channel++) {
    rest[EMISSIVE_COLOR + channel] = rest[MaterialOffset.emissive + channel] as number;
  }
  rest[EMISSIVE_STRENGTH] = 1;
  for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
    const from = MaterialOffset.textureTransforms + slot * SLOT_FLOATS;
    const to = UV_PARTS + slot * UV_PART_FLOATS;
    const a = rest[from] as number;
    const b = rest[from + 1] as number;
    const d = rest[from + 3] as number;
    const e = rest[from + 4] as number;
    rest[to] = rest[from + 2] as number;
    rest[to + 1] = rest[from + 5] as number;
    rest[to + 2] = Math.atan2(-d, a);
    rest[to + 3] = Math.hypot(a, d);
    rest[to + 4] = Math.hypot(b, e) * (a * e - b * d < 0 ? -1 : 1);
  }
}

const offset: [number, number] = [0, 0];
const scale: [number, number] = [1, 1];

function joinParts(values: Float32Array, rest: Float32Array, isDriven: Uint8Array): void {
  const part = (index: number): number => (isDriven[index] ? values : rest)[index] as number;
  if (isDriven[EMISSIVE_COLOR] || isDriven[EMISSIVE_STRENGTH]) {
    const strength = part(EMISSIVE_STRENGTH);
    for (let channel = 0; channel < 3; channel++) {
      values[MaterialOffset.emissive + channel] = part(EMISSIVE_COLOR + channel) * strength;
    }
  }
  for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
    const from = UV_PARTS + slot * UV_PART_FLOATS;
    let isMoved = false;
    for (let index = from; index < from + UV_PART_FLOATS; index++) if (isDriven[index]) isMoved = true;
    if (!isMoved) continue;
    offset[0] = part(from);
    offset[1] = part(from + 1);
    scale[0] = part(from + 3);
    scale[1] = part(from + 4);
    values.set(
      textureTransform(offset, part(from + 2), scale),
      MaterialOffset.textureTransforms + slot * SLOT_FLOATS,
    );
  }
}
