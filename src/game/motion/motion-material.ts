/**
 * Animated materials: `material.motion = animate(…)`. A material's numbers are read through its mover, which
 * updates them first. Each world that shows the material declares the motion whenever it sends the material.
 *
 *   material.roughness ──► parameters ──► MaterialMover: evaluated at the world's scene time, when read
 */

import { OptionError, SceneError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import { unchecked } from '../../core/options/members.js';
import type { MaterialColorName, MaterialParameter } from '../../proxy/materials/material-features.js';
import {
  MATERIAL_FLOATS,
  MATERIAL_PARAMETERS,
  MaterialFlag,
  MaterialOffset,
} from '../../proxy/materials/material-layout.js';
import { MotionKind, MotionTarget } from '../../proxy/motion/motion.js';
import { evaluateKeyframes, keyframesSeconds } from '../../proxy/motion/motion-keyframes.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import type { Material, MaterialObserver } from '../materials/material.js';
import {
  MATERIAL_NUMBERS,
  type MaterialColors,
  type MaterialNumber,
  type MaterialNumbers,
} from '../materials/material-parameters.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { Mover } from './motion.js';
import {
  type Channel,
  CLIP_OPTIONS,
  type ClipOptions,
  checkKeys,
  checkTimes,
  clipParameters,
} from './motion-channels.js';
import { type MotionSource, motionsOf } from './motion-updates.js';

/** A list for each animated parameter of materials, with one value per time. */
type AnimatedParameters = { readonly [Name in keyof MaterialNumbers]?: ArrayLike<number> } & {
  readonly [Name in keyof MaterialColors]?: readonly ColorLike[];
};

export interface AnimateOptions extends ClipOptions, AnimatedParameters {
  /** CSS colours or linear numbers, one per time. They are interpolated as linear light, as in glTF. */
  readonly baseColor?: readonly ColorLike[];
  /** Colours of the emitted light, one per time. They are multiplied by the material's `emissiveStrength`. */
  readonly emissive?: readonly ColorLike[];
  /** Alpha of the base colour, 0 to 1. It takes effect with `alphaMode: 'blend'` or `'mask'`. */
  readonly opacity?: ArrayLike<number>;
}

/** The colour parameters, with their offsets. */
const COLORS = /* @__PURE__ */ (
  Object.entries(MATERIAL_PARAMETERS) as [MaterialColorName, MaterialParameter][]
)
  .filter(([, { size }]) => size > 1)
  .map(([name, { size }]) => ({ name, offset: MaterialOffset[name], size }));

/** The number parameters, with their offsets and ranges. */
const NUMBERS: readonly (Omit<MaterialNumber, 'name'> & { name: keyof MaterialNumbers | 'opacity' })[] = [
  { name: 'opacity', offset: MaterialOffset.baseColor + 3, minimum: 0, maximum: 1, isUnlit: true },
  ...MATERIAL_NUMBERS,
];

const CHANNELS = /* @__PURE__ */ [...COLORS, ...NUMBERS].map(({ name }) => name);
/**
 * Channels are named like material parameters. `checkKeys`, `parseColor` and `checkNumber` check their lists.
 */
const OPTIONS = { ...CLIP_OPTIONS, .../* @__PURE__ */ unchecked(CHANNELS.join('|')) };

/** Names of the channels that unlit materials have. */
const UNLIT_CHANNELS: readonly string[] = [
  'baseColor',
  .../* @__PURE__ */ NUMBERS.filter(({ isUnlit }) => isUnlit).map(({ name }) => name),
];

/** A declared motion of a material, created by `animate()`. One object may animate many materials. */
export class MaterialMotion {
  /** @internal */
  readonly parametersFor: (emissiveStrength: number) => Float64Array;
  /** Names of the changed parameters, as passed to `animate`. */
  readonly #names: readonly string[];

  /** @internal */
  constructor(names: readonly string[], parametersFor: (emissiveStrength: number) => Float64Array) {
    this.#names = names;
    this.parametersFor = parametersFor;
  }

  /** @internal */
  moverFor(material: Material): MaterialMover {
    if (!material.parameters) {
      throw new OptionError(
        'option-invalid',
        'animate() changes materials. An actor takes spin(), orbit() or keyframes().',
      );
    }
    const lit = this.#names.find((name) => !UNLIT_CHANNELS.includes(name));
    if (lit !== undefined && material.flags & MaterialFlag.unlit) {
      throw new OptionError(
        'option-invalid',
        `animate() changes ${lit}, which the unlit material "${material.name}" does not have. It has ${UNLIT_CHANNELS.join(', ')}; a standardMaterial() has all.`,
      );
    }
    return new MaterialMover(this, material);
  }
}

/** The state of the motion in one world. */
interface WorldState extends MotionSource {
  id: number;
  readonly startSeconds: number;
}

const scratch = /* @__PURE__ */ new Float32Array(MATERIAL_FLOATS);

export class MaterialMover implements Mover<MaterialMotion>, MaterialObserver {
  readonly motion: MaterialMotion;
  readonly #material: Material;
  readonly #parameters: Float64Array;
  readonly #worlds = new Map<SceneUpdates, WorldState>();
  /** The material's own numbers, as last evaluated. */
  #values: Float32Array = scratch;
  /** Seconds since the start, as last evaluated. */
  #evaluatedAt = -1;

  constructor(motion: MaterialMotion, material: Material) {
    this.motion = motion;
    this.#material = material;
    this.#parameters = motion.parametersFor(material.emissiveStrength);
  }

  begin(): void {
    const { observers } = this.#material;
    this.refresh(this.#material.parameters);
    for (const observer of observers) observer.markMaterial(this.#material);
    observers.add(this);
  }

  end(): void {
    const material = this.#material;
    material.observers.delete(this);
    const { emissiveStrength, parameters } = material;
    const light = Array.from(parameters.subarray(MaterialOffset.emissive, MaterialOffset.emissive + 3));
    for (const [updates, state] of this.#worlds) {
      motionsOf(updates).end(state, MotionTarget.material, state.id);
    }
    this.#worlds.clear();
    // The page reads and writes the colour without its strength. Setting it also marks the material as changed.
    if (emissiveStrength > 0) material.setLinearEmissive(light.map((value) => value / emissiveStrength));
    else for (const observer of material.observers) observer.markMaterial(material);
  }

  /** Declares the motion in a world. Called by each update that sends the material. */
  enter(updates: SceneUpdates, id: number): void {
    const motions = motionsOf(updates);
    let state = this.#worlds.get(updates);
    if (!state) {
      const startSeconds = motions.frameSeconds;
      const created: WorldState = {
        id,
        startSeconds,
        endSeconds: startSeconds + keyframesSeconds(this.#parameters),
        declare: () =>
          motions.write(
            MotionTarget.material,
            created.id,
            MotionKind.keyframes,
            startSeconds,
            this.#parameters,
          ),
      };
      state = created;
      this.#worlds.set(updates, created);
    }
    state.id = id;
    motions.add(state);
  }

  /** Removes the motion from a world that no longer shows the material. A later `enter` keeps the start time. */
  leave(updates: SceneUpdates): void {
    const state = this.#worlds.get(updates);
    if (state) motionsOf(updates).remove(state);
  }

  /** Updates the material's numbers before they are read or written. */
  refresh(parameters: Float32Array): void {
    const seconds = this.#elapsedSeconds;
    if (seconds === this.#evaluatedAt) return;
    this.#evaluatedAt = seconds;
    this.#values = parameters;
    evaluateKeyframes(this.#parameters, seconds, parameters, 0);
  }

  /**
   * Seconds since the start in the first remaining world that has shown the material. Disposed worlds are
   * removed.
   */
  get #elapsedSeconds(): number {
    for (const [updates, { startSeconds }] of this.#worlds) {
      if (!updates.disposed.aborted) return motionsOf(updates).timeSeconds - startSeconds;
      this.#worlds.delete(updates);
    }
    return 0;
  }

  /** Per change by the page: throws `motion-drives` if the motion would overwrite the change. */
  markMaterial(material: Material): void {
    const parameters = this.#values;
    scratch.set(parameters);
    evaluateKeyframes(this.#parameters, this.#evaluatedAt, scratch, 0);
    if (scratch.every((value, index) => Object.is(value, parameters[index]))) return;
    parameters.set(scratch);
    throw new SceneError(
      'motion-drives',
      `"${material.name}" is animated, and its motion would overwrite the new value. Set its motion to null first.`,
    );
  }
}

/**
 * Animates a material's numbers by keyframes, whose times are counted from the first frame that shows the motion.
 * Writing a parameter that has keyframes throws `motion-drives`. The other parameters can be written.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`
 * @example lamp.motion = animate({ times: [0, 0.5, 1], emissive: ['#000', '#f80', '#000'], loop: true });
 */
export function animate(options: AnimateOptions): MaterialMotion {
  const what = 'animate';
  const { loop, interpolation } = fillOptions(what, options, OPTIONS);
  const times = checkTimes(what, options.times, loop);
  const channels: Channel[] = [];
  for (const { name, offset, size } of COLORS) {
    const list = options[name];
    if (list === undefined) continue;
    const colors = Array.from(list).map((color) => parseColor(what, name, color).slice(0, size));
    const values = checkKeys(what, name, colors, size, times.length, 'linear', 'a colour');
    channels.push({ name, values, offset, size, isMonotone: true });
  }
  for (const { name, offset, minimum, maximum } of NUMBERS) {
    const list = options[name];
    if (list === undefined) continue;
    const values = checkKeys(what, name, list, 1, times.length, 'linear', 'a number');
    for (const value of values) checkNumber(what, name, value, minimum, maximum);
    channels.push({ name, values, offset, size: 1, isMonotone: true });
  }
  if (channels.length === 0) {
    throw new OptionError('option-invalid', `animate takes ${CHANNELS.join(', ')}.`);
  }
  const changed = channels.map(({ name }) => name);
  return new MaterialMotion(changed, (emissiveStrength) =>
    clipParameters(
      times,
      interpolation,
      loop,
      channels.map((channel) =>
        channel.name === 'emissive'
          ? { ...channel, values: channel.values.map((value) => value * emissiveStrength) }
          : channel,
      ),
    ),
  );
}
