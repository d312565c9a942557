/**
 * Animated transforms as the game reads them. A `ClipPose` replaces the store from which an animated component
 * reads its transform. A read computes the current pose, as the render thread does. A write changes the *rest*,
 * the transform without clips.
 *
 *   actor.position ──► ClipPose ─┬─ data: the rest, and the playbacks' values at the world's scene time
 *                                └─ mark: copies written values to the TransformStore
 *
 * A pose is evaluated again only after the scene time, a playback or the rest has changed.
 *
 * A declared motion (`motion-mover.ts`) may drive the same component. The motion's result is then the rest, even
 * if the clip started first. The render thread also applies motions before clips.
 */
import { addDifference, addToPose, clearPose, createPose, finishPose } from '../../proxy/motion/clip.js';
import { ClipPath, pathOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import { TRANSFORM_NUMBERS, TransformArray } from '../../proxy/transform-array.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Material } from '../materials/material.js';
import type { TransformPlace } from '../transforms/transform-store.js';
import type { MorphWeights } from './morph-weights.js';

/** The members of a playback that poses read. */
export interface PosingPlayback {
  readonly description: ClipDescription;
  readonly isAdditive: boolean;
  readonly weight: number;
  readonly time: number;
  sample(track: number, out: Float32Array, time: number): void;
}

/** The inputs that decide whether a pose is still valid. */
export interface PosingClock {
  /** Scene time as the game sees it now. */
  readonly timeSeconds: number;
  /** Changes whenever a playback's time or weight has changed. */
  readonly version: number;
}

export interface PosingTrack {
  readonly playback: PosingPlayback;
  readonly track: number;
}

/** A value that no clock's version has. */
const NO_VERSION = -1;

const value = /* @__PURE__ */ new Float32Array(4);
const first = /* @__PURE__ */ new Float32Array(4);
const pose = /* @__PURE__ */ createPose();
/** Numbers of a written transform, of the pose as shown, and of the rest. */
const numbers = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
const shown = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
const base = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);

/** The target that a track drives; null for none. */
export type ClipTarget = SceneComponent | Material | null;

const isComponent = (target: ClipTarget): target is SceneComponent => target !== null && 'node' in target;

const morphOf = (component: SceneComponent | PrimitiveComponent): MorphWeights | null =>
  'morph' in component ? component.morph : null;

export class ClipPoses {
  readonly #poses = new Map<SceneComponent, ClipPose>();
  /** Transforms that the page reads and writes. This array and the next two are indexed like the world's store. */
  readonly data = new TransformArray(0);
  /** Evaluated transforms. */
  readonly evaluated = new TransformArray(0);
  /** The rests from which the transforms were evaluated. */
  readonly rests = new TransformArray(0);
  readonly clock: PosingClock;

  constructor(clock: PosingClock) {
    this.clock = clock;
  }

  add(playback: PosingPlayback, targets: readonly ClipTarget[]): void {
    const { tracks } = playback.description;
    targets.forEach((component, track) => {
      if (!isComponent(component)) return;
      const path = pathOf(tracks[track * TRACK_WORDS] as number);
      if (path === ClipPath.weights) morphOf(component)?.tracks.push({ playback, track });
      // Other paths: `clip-visibility.ts` animates visibility, and only the render thread animates properties.
      if (path >= ClipPath.weights) return;
      let posed = this.#poses.get(component);
      if (!posed) {
        posed = new ClipPose(this, component);
        this.#poses.set(component, posed);
        posed.enter();
      }
      posed.tracks.push({ playback, track });
    });
  }

  remove(playback: PosingPlayback, targets: readonly ClipTarget[]): void {
    for (const component of new Set(targets)) {
      if (!isComponent(component)) continue;
      const morph = morphOf(component);
      if (morph) morph.tracks = morph.tracks.filter((entry) => entry.playback !== playback);
      const posed = this.#poses.get(component);
      if (!posed) continue;
      posed.tracks = posed.tracks.filter((entry) => entry.playback !== playback);
      if (posed.tracks.length > 0) continue;
      this.#poses.delete(component);
      posed.leave();
    }
  }

  /** Grows the arrays so that they contain a node. */
  reserve(node: number): void {
    const { capacity } = this.data;
    if (node < capacity) return;
    for (const array of [this.data, this.evaluated, this.rests])
      array.reserve(Math.max(node + 1, capacity * 2));
  }
}

class ClipPose implements TransformPlace {
  tracks: PosingTrack[] = [];
  rest: TransformPlace;
  readonly #poses: ClipPoses;
  readonly #component: SceneComponent;
  #seconds = Number.NaN;
  #version = NO_VERSION;

  constructor(poses: ClipPoses, component: SceneComponent) {
    this.#poses = poses;
    this.#component = component;
    this.rest = component.store;
  }

  enter(): void {
    const component = this.#component;
    this.#copyRest(component.node);
    component.moveTo(this, component.node);
  }

  leave(): void {
    const component = this.#component;
    // The component may have left the world.
    if (component.store === this) component.moveTo(this.rest, component.node);
  }

  get data(): TransformArray {
    // Without playbacks the pose is the rest pose. Reading `rest.data` evaluates a declared motion.
    if (this.tracks.length === 0) return this.rest.data;
    const { node } = this.#component;
    const { data, evaluated } = this.#poses;
    this.#evaluate(node);
    data.copy(node, evaluated, node);
    return data;
  }

  mark(node: number): void {
    const { data, evaluated } = this.#poses;
    const { data: rest } = this.rest;
    data.read(node, numbers);
    evaluated.read(node, shown);
    rest.read(node, base);
    for (let index = 0; index < TRANSFORM_NUMBERS; index++) {
      if (numbers[index] !== shown[index]) base[index] = numbers[index] as number;
    }
    if (!evaluated.write(node, numbers)) return;
    rest.write(node, base);
    this.#version = NO_VERSION;
    this.rest.mark(node);
  }

  free(node: number): void {
    this.rest.free(node);
  }

  #copyRest(node: number): void {
    this.#version = NO_VERSION;
    const { data: rest } = this.rest;
    const poses = this.#poses;
    poses.reserve(node);
    poses.data.copy(node, rest, node);
    poses.evaluated.copy(node, rest, node);
  }

  #evaluate(node: number): void {
    if (this.#isEvaluated(node)) return;
    const { rests, evaluated } = this.#poses;
    rests.read(node, base);
    clearPose(pose);
    for (const entry of this.tracks) if (!entry.playback.isAdditive) add(entry);
    finishPose(pose, base);
    for (const entry of this.tracks) if (entry.playback.isAdditive) add(entry);
    evaluated.write(node, pose.values);
  }

  /** Returns whether the evaluated pose is still valid, and stores the inputs for the next evaluation. */
  #isEvaluated(node: number): boolean {
    const { timeSeconds, version } = this.#poses.clock;
    const { data: rest } = this.rest;
    const { rests } = this.#poses;
    const isRestSame = rests.isSame(node, rest, node);
    if (!isRestSame) rests.copy(node, rest, node);
    const isSame = isRestSame && timeSeconds === this.#seconds && version === this.#version;
    this.#seconds = timeSeconds;
    this.#version = version;
    return isSame;
  }
}

function add({ playback, track }: PosingTrack): void {
  const { description, isAdditive, weight, time } = playback;
  if (weight <= 0) return;
  const path = pathOf(description.tracks[track * TRACK_WORDS] as number);
  playback.sample(track, value, time);
  if (!isAdditive) {
    addToPose(pose, path, value, 0, weight);
    return;
  }
  playback.sample(track, first, 0);
  addDifference(pose, path, value, first, weight);
}
