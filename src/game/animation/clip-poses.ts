/**
 * Where the game finds what clips move: between an actor's transform and who reads or writes it. Reading computes where the actor
 * is now, as the render thread does; writing changes where it is without clips, its *rest*.
 *
 *   actor.position ──► ClipPose ─┬─ data: rest, and what playbacks make of it at the world's scene time
 *                                └─ mark: what was written goes to the TransformStore
 *
 * A pose is evaluated once per moment, however often it is read.
 *
 * Under it may be a declared motion (`motion-mover.ts`), as on the render thread, where motion moves a node before clips do: what it
 * makes is the rest, whichever of the two came first.
 */
import { addDifference, addToPose, clearPose, createPose, finishPose } from '../../proxy/motion/clip.js';
import { ClipPath, pathOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import type { PrimitiveComponent } from '../components/primitive-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Material } from '../materials/material.js';
import { TRANSFORM_FLOATS, type TransformPlace } from '../transforms/transform-store.js';
import type { MorphWeights } from './morph-weights.js';

/** A playback, as far as poses know it. */
export interface PosingPlayback {
  readonly description: ClipDescription;
  readonly isAdditive: boolean;
  readonly weight: number;
  readonly time: number;
  sample(track: number, out: Float32Array, time: number): void;
}

/** What tells one moment from another. */
export interface PosingClock {
  /** Scene time as the game sees it now. */
  readonly timeSeconds: number;
  /** Another number: playbacks may be at other times, or weigh more or less. */
  readonly version: number;
}

export interface PosingTrack {
  readonly playback: PosingPlayback;
  readonly track: number;
}

/** No version of a clock. */
const NEVER = -1;

const value = /* @__PURE__ */ new Float32Array(4);
const first = /* @__PURE__ */ new Float32Array(4);
const pose = /* @__PURE__ */ createPose();

/** What a track drives; null: nothing. */
export type ClipTarget = SceneComponent | Material | null;

const isComponent = (target: ClipTarget): target is SceneComponent => target !== null && 'node' in target;

const morphOf = (component: SceneComponent | PrimitiveComponent): MorphWeights | null =>
  'morph' in component ? component.morph : null;

export class ClipPoses {
  readonly #poses = new Map<SceneComponent, ClipPose>();
  /** Indexed as the world's store is. */
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
      // Properties are the render thread's alone.
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

  /** With room for a node. */
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
  /** The rest, the time and the playbacks that it was evaluated for. */
  readonly #resting = new Float32Array(TRANSFORM_FLOATS);
  #seconds = Number.NaN;
  #version = NEVER;

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
    // It may have left the world.
    if (component.store === this) component.moveTo(this.rest, component.node);
  }

  get data(): Float32Array {
    // Nothing plays yet, or any more. What moves it may take its numbers as of now, but no older ones.
    if (this.tracks.length === 0) return this.rest.data;
    const { node } = this.#component;
    const data = this.#poses.dataFor(node);
    this.#evaluate(data, node * TRANSFORM_FLOATS);
    return data;
  }

  mark(node: number): void {
    const data = this.#poses.dataFor(node);
    const { data: kept } = this.rest;
    const at = node * TRANSFORM_FLOATS;
    let isWritten = false;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      if (data[at + index] === this.#evaluated[index]) continue;
      kept[at + index] = data[at + index] as number;
      this.#evaluated[index] = data[at + index] as number;
      isWritten = true;
    }
    if (!isWritten) return;
    this.#version = NEVER;
    this.rest.mark(node);
  }

  free(node: number): void {
    this.rest.free(node);
  }

  #copyRest(node: number): void {
    this.#version = NEVER;
    const data = this.#poses.dataFor(node);
    const { data: kept } = this.rest;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      const at = node * TRANSFORM_FLOATS + index;
      data[at] = this.#evaluated[index] = kept[at] as number;
    }
  }

  #evaluate(data: Float32Array, at: number): void {
    if (!this.#isEvaluated(at)) {
      clearPose(pose);
      for (const entry of this.tracks) if (!entry.playback.isAdditive) add(entry);
      finishPose(pose, this.#resting);
      for (const entry of this.tracks) if (entry.playback.isAdditive) add(entry);
      this.#evaluated.set(pose.values);
    }
    for (let index = 0; index < TRANSFORM_FLOATS; index++)
      data[at + index] = this.#evaluated[index] as number;
  }

  /** Notes what it is evaluated for. */
  #isEvaluated(at: number): boolean {
    const { timeSeconds, version } = this.#poses.clock;
    let isSame = timeSeconds === this.#seconds && version === this.#version;
    this.#seconds = timeSeconds;
    this.#version = version;
    const { data: kept } = this.rest;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) {
      if (this.#resting[index] === kept[at + index]) continue;
      this.#resting[index] = kept[at + index] as number;
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
