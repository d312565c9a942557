/** Plays the clips of a loaded level on its actors. */

import { OptionError, StateError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkWhole } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, numberFrom, oneOf, optional } from '../../core/options/members.js';
import { shownValue } from '../../core/options/shown-value.js';
import { PlaybackMode } from '../../proxy/motion/clip.js';
import { ClipPath, pathOf, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import type { Actor } from '../components/actor.js';
import { MeshComponent } from '../components/mesh-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { LevelSource } from '../loading/level-builder.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { Level } from '../world/level.js';
import type { ClipTarget } from './clip-poses.js';
import { clipsOf } from './clip-updates.js';
import { Playback } from './playback.js';

const LOOPS = ['repeat', 'once', 'ping-pong'] as const;
const MODES = {
  repeat: PlaybackMode.repeat,
  once: PlaybackMode.once,
  'ping-pong': PlaybackMode.pingPong,
} as const;

const PLAY_OPTIONS = {
  /**
   * Behaviour at the end of the clip: `repeat` starts again, `once` keeps the last pose, and `ping-pong` plays
   * back to the beginning. Default `'repeat'`.
   */
  loop: byDefault(oneOf(LOOPS), 'repeat'),
  /** Factor on time; negative plays backwards, 0 holds the pose at `startSeconds`. Default 1. */
  speed: byDefault(numberFrom(-1e6, 1e6), 1),
  /** Weight relative to other playbacks, from 0. Default 1. */
  weight: byDefault(numberFrom(0, 1e6), 1),
  /** Seconds in which the weight rises from 0. Default 0. */
  fadeSeconds: byDefault(numberFrom(0, 1e6), 0),
  /** Start time in the clip, in seconds. Default 0, or the clip's end if it is played backwards once. */
  startSeconds: optional(numberFrom(0, 1e9)),
  /**
   * Whether the clip's difference from its own beginning is added to the result of the other playbacks. Default false.
   */
  additive: byDefault(boolean(), false),
  /** Actors of the level, or their names. Only these and their descendants are animated, no materials. Default: all. */
  mask: optional(anything<readonly (Actor | string)[]>()),
};

export type PlayOptions = Shaped<typeof PLAY_OPTIONS>;

const isMesh = (component: object): component is MeshComponent => component instanceof MeshComponent;

export class LevelClips {
  readonly animations: readonly ClipDescription[];
  readonly #level: Level;
  readonly #source: LevelSource;
  readonly #updates: SceneUpdates;
  /** Actors in the file's order of nodes. */
  readonly #actors: readonly Actor[];
  readonly #playbacks = new Set<Playback>();

  constructor(level: Level, updates: SceneUpdates, source: LevelSource, actors: readonly Actor[]) {
    this.#level = level;
    this.#updates = updates;
    this.#source = source;
    this.animations = source.scene.clips;
    // A clip logged to the console should show its name, not all of its keyframes.
    for (const clip of this.animations) {
      for (const name of ['nodes', 'tracks', 'floats'])
        Object.defineProperty(clip, name, { enumerable: false });
    }
    this.#actors = actors;
  }

  /** @throws OptionError, StateError `level-unloaded` */
  play(which: string | number, options: PlayOptions): Playback {
    const level = this.#level;
    if (level.state !== 'ready') {
      throw new StateError(
        'level-unloaded',
        `Level "${level.name}" is unloaded, so its animations can't be played.`,
      );
    }
    const { loop, speed, weight, fadeSeconds, additive, mask, ...given } = fillOptions(
      'play',
      options,
      PLAY_OPTIONS,
    );
    const clip = this.#find(which);
    const fromEnd = loop === 'once' && speed < 0;
    const { startSeconds = fromEnd ? clip.duration : 0 } = given;
    const isMoved = mask ? this.#maskTest(mask) : () => true;
    const targets = this.#targetsOf(clip).map((target) => {
      // With a mask, tracks of materials are not played, because actors outside the mask may share the materials.
      const isDriven = target && ('node' in target ? isMoved(target) : !mask);
      return isDriven ? target : null;
    });
    const state = {
      offsetSeconds: startSeconds,
      speed,
      mode: MODES[loop],
      fadeSeconds,
      weightFrom: fadeSeconds > 0 ? 0 : weight,
      weightTo: weight,
    };
    const updates = clipsOf(this.#updates);
    const playback = new Playback(
      updates,
      { name: clip.name, duration: clip.duration },
      clip,
      state,
      additive,
    );
    updates.add(playback, clip, targets);
    this.#playbacks.add(playback);
    void playback.finished.then(() => {
      if (!playback.isPlaying) this.#playbacks.delete(playback);
    });
    return playback;
  }

  /** Ends all playbacks when the level is unloaded. */
  unload(): void {
    for (const playback of this.#playbacks) playback.end();
    const { levels } = this.#source;
    levels.delete(this.#level);
    // Clones of the level may still play these clips.
    if (levels.size === 0) this.#updates.clips?.forget(this.animations);
  }

  /**
   * Returns the target of each track: an actor's root, a mesh whose morph weights the track drives, a material, a light
   * or a camera. The target is null if it does not exist. Each mesh of a node has its own track of weights.
   */
  #targetsOf({ nodes, tracks }: ClipDescription): ClipTarget[] {
    const meshes = new Map<number, SceneComponent[]>();
    return nodes.map((node, track) => {
      const path = pathOf(tracks[track * TRACK_WORDS] as number);
      if (path === ClipPath.material) return this.#source.materialAt(node);
      const actor = this.#actors[node];
      if (!actor) return null;
      if (path === ClipPath.visibility) return actor.root;
      if (path > ClipPath.weights) {
        const kind = path === ClipPath.light ? 'light' : 'camera';
        return actor.components.find((each) => (each as SceneComponent).kind === kind) as SceneComponent;
      }
      if (path !== ClipPath.weights) return actor.root;
      const left = meshes.get(node) ?? actor.components.filter(isMesh);
      meshes.set(node, left.slice(1));
      return left[0] ?? null;
    });
  }

  #find(which: string | number): ClipDescription {
    const { animations } = this;
    if (typeof which === 'number') {
      if (animations.length > 0) checkWhole('play', 'index', which, 0, animations.length - 1);
    } else if (typeof which !== 'string') {
      const { name } = Object(which) as { readonly name?: unknown };
      const guess = typeof name === 'string' ? ` Did you mean ${JSON.stringify(name)}?` : '';
      throw new OptionError(
        'option-invalid',
        `play takes the name or the index of an animation, not ${shownValue(which)}.${guess}`,
      );
    }
    const found =
      typeof which === 'number' ? animations[which] : animations.find(({ name }) => name === which);
    if (found) return found;
    const names = animations.map(({ name }) => `"${name}"`).join(', ');
    throw new OptionError(
      'animation-unknown',
      `Level "${this.#level.name}" has no animation ${JSON.stringify(which)}. It has ${names || 'none'}.`,
    );
  }

  #maskTest(mask: readonly (Actor | string)[]): (component: SceneComponent) => boolean {
    if (!Array.isArray(mask)) {
      throw new OptionError('option-invalid', 'mask of play has to be a list of actors or of their names.');
    }
    const tops = new Set(
      mask.map((entry) => {
        const actor = typeof entry === 'string' ? this.#actors.find(({ name }) => name === entry) : entry;
        if (actor && this.#actors.includes(actor)) return actor.root;
        const name = typeof entry === 'string' ? entry : String(entry?.name);
        throw new OptionError(
          'option-invalid',
          `mask of play names "${name}", which is not an actor of the level.`,
        );
      }),
    );
    return (component) => {
      for (let up: SceneComponent | null = component; up; up = up.parent) if (tops.has(up)) return true;
      return false;
    };
  }
}
