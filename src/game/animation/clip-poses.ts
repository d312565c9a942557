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
import type { PrimitiveComponent } from '../components/primitive-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Material } from '../materials/material.js';
import { TRANSFORM_FLOATS, type TransformPlace } from '../transforms/transform-store.js';
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

/** The target that a track drives; null for none. */
export type ClipTarget = SceneComponent | Material | null;

const isComponent = (target: ClipTarget): target is SceneComponent => target !== null && 'node' in target;

const morphOf = (component: SceneComponent | PrimitiveComponent): MorphWeights | null =>
  'morph' in component ? component.morph : null;

export class ClipPoses {
  readonly #poses = new Map<SceneComponent, ClipPose>();
  /** Evaluated transforms, indexed like the world's store. */
  #data = new Float32Array(0);
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
      // The other paths are properties, which only the render thread animates.
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

  /** Returns the array of evaluated transforms, grown so that it contains a node. */
  dataFor(node: number): Float32Array {
    const needed = (node + 1) * TRANSFORM_FLOATS;
    if (this.#data.length < needed) {
      const larger = new Float32Array(Math.max(needed, this.#data.length * 2));
      larger.set(this.#data);
      this.#data = larger;
    }
    return this.#data;
  }
}

class ClipPose implements TransformPlace {
  tracks: PosingTrack[] = [];
  rest: TransformPlace;
  readonly #poses: ClipPoses;
  readonly #component: SceneComponent;
  readonly #evaluated = new Float32Array(TRANSFORM_FLOATS);
  /** The rest that the pose was evaluated for. */
  readonly #evaluatedRest = new Float32Array(TRANSFORM_FLOATS);
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

  get data(): Float32Array {
    // Without playbacks the pose is the rest. Reading `rest.data` evaluates a declared motion.
    if (this.tracks.length === 0) return this.rest.data;
    const { node } = this.#component;
    const data = this.#poses.dataFor(node);
    this.#evaluate(data, node * TRANSFORM_FLOATS);
    return data;
  }

  mark(node: number): void {
    const data = this.#poses.dataFor(node);
    const { data: rest } = this.rest;
    const at = node * TRANSFORM_FLOATS;
    let isWritten = false;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      if (data[at + index] === this.#evaluated[index]) continue;
      rest[at + index] = data[at + index] as number;
      this.#evaluated[index] = data[at + index] as number;
      isWritten = true;
    }
    if (!isWritten) return;
    this.#version = NO_VERSION;
    this.rest.mark(node);
  }

  free(node: number): void {
    this.rest.free(node);
  }

  #copyRest(node: number): void {
    this.#version = NO_VERSION;
    const data = this.#poses.dataFor(node);
    const { data: rest } = this.rest;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      const at = node * TRANSFORM_FLOATS + index;
      data[at] = this.#evaluated[index] = rest[at] as number;
    }
  }

  #evaluate(data: Float32Array, at: number): void {
    if (!this.#isEvaluated(at)) {
      clearPose(pose);
      for (const entry of this.tracks) if (!entry.playback.isAdditive) add(entry);
      finishPose(pose, this.#evaluatedRest);
      for (const entry of this.tracks) if (entry.playback.isAdditive) add(entry);
      this.#evaluated.set(pose.values);
    }
    for (let index = 0; index < TRANSFORM_FLOATS; index++)
      data[at + index] = this.#evaluated[index] as number;
  }

  /** Returns whether the evaluated pose is still valid, and stores the inputs for the next evaluation. */
  #isEvaluated(at: number): boolean {
    const { timeSeconds, version } = this.#poses.clock;
    let isSame = timeSeconds === this.#seconds && version === this.#version;
    this.#seconds = timeSeconds;
    this.#version = version;
    const { data: rest } = this.rest;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      if (this.#evaluatedRest[index] === rest[at + index]) continue;
      this.#evaluatedRest[index] = rest[at + index] as number;
      isSame = false;
    }
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
