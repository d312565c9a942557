/**
 * Clips: a file's animations as plain numbers, and their playback. The render thread moves nodes by clips, and the game
 * computes the same transforms when they are read. Both threads run this code on the same numbers. Times and values of
 * keys have 32 bits; the scene time and the state of playbacks have 64 bits.
 *
 *   tracks │ path and size, interpolation, key count k, times at, values at │ …      one per animated part or property
 *   floats │ times of track 0 │ values of track 0 │ …                       cubic: k × (in-tangent, value, out-tangent)
 *
 *   scene time ─► playbackSeconds ─► sampleTrack ─► addToPose, by playbackWeight ─► finishPose over the node's rest
 */
import { type Numbers, TRANSFORM_NUMBERS } from '../transform-array.js';
import { ClipPath, pathOf, sizeOf, TRACK_WORDS } from './clip-tracks.js';
import { findKey, normalize, sampleKeys } from './interpolate.js';

export interface ClipData {
  /** Duration in seconds. */
  readonly duration: number;
  /** `TRACK_WORDS` words per track. */
  readonly tracks: Uint32Array;
  readonly floats: Float32Array;
}

/** Begin and size of each transform path within a transform, in numbers, by `ClipPath`. */
const PATH_OFFSETS = [0, 3, 7] as const;
export const PATH_SIZES = [3, 4, 3] as const;

export const PlaybackMode = { repeat: 0, once: 1, pingPong: 2 } as const;

export interface PlaybackState {
  /** Scene time at which the clip is at `offsetSeconds`. */
  readonly startSeconds: number;
  readonly offsetSeconds: number;
  readonly speed: number;
  /** A value of `PlaybackMode`. */
  readonly mode: number;
  /** Scene time at which the weight begins to change from `weightFrom` to `weightTo`. */
  readonly fadeStart: number;
  readonly fadeSeconds: number;
  readonly weightFrom: number;
  readonly weightTo: number;
}

/** Returns a playback's position in seconds of the clip, before it is wrapped or clamped at the clip's ends. */
export function playedSeconds(
  { offsetSeconds, speed, startSeconds }: PlaybackState,
  sceneSeconds: number,
): number {
  return speed === 0 ? offsetSeconds : offsetSeconds + Math.max(sceneSeconds - startSeconds, 0) * speed;
}

/** Returns a playback's time within the clip, in seconds. */
export function playbackSeconds(state: PlaybackState, duration: number, sceneSeconds: number): number {
  const { speed, mode } = state;
  const seconds = playedSeconds(state, sceneSeconds);
  const isClamped = mode === PlaybackMode.once || duration === 0;
  // At speed 0 a time equal to the duration stays at the end instead of wrapping to the beginning.
  const isStill = speed === 0 && mode === PlaybackMode.repeat && seconds <= duration;
  if (isClamped || isStill) return Math.min(Math.max(seconds, 0), duration);
  if (mode === PlaybackMode.repeat) return modulo(seconds, duration);
  const there = modulo(seconds, 2 * duration);
  return there <= duration ? there : 2 * duration - there;
}

export function playbackWeight(state: PlaybackState, sceneSeconds: number): number {
  const { fadeStart, fadeSeconds, weightFrom, weightTo } = state;
  const elapsed = sceneSeconds - fadeStart;
  if (!(elapsed < fadeSeconds)) return weightTo;
  return weightFrom + (weightTo - weightFrom) * Math.max(elapsed / fadeSeconds, 0);
}

/** Returns the scene time at which a clip in the mode `once` ends, at any weight, or Infinity when it never ends. */
export function clipEnd(state: PlaybackState, duration: number): number {
  const { startSeconds, offsetSeconds, speed, mode } = state;
  if (mode !== PlaybackMode.once) return Number.POSITIVE_INFINITY;
  if (duration === 0) return startSeconds;
  // At speed 0 the clip never reaches its end.
  if (speed === 0) return Number.POSITIVE_INFINITY;
  const rest = speed > 0 ? duration - offsetSeconds : offsetSeconds;
  return startSeconds + Math.max(rest, 0) / Math.abs(speed);
}

/** Returns the scene time from which on the pose is constant, or Infinity when it always changes. */
export function playbackEnd(state: PlaybackState, duration: number): number {
  const { speed, fadeStart, fadeSeconds, weightTo } = state;
  const fadeEnd = fadeStart + fadeSeconds;
  if (weightTo === 0 || speed === 0 || duration === 0) return fadeEnd;
  return Math.max(fadeEnd, clipEnd(state, duration));
}

/**
 * Writes a track's value at `time` to `out`, at `to`.
 *
 * @param cursor the key that the previous call returned, at which the search for the key begins
 * @returns the key at `time`
 */
export function sampleTrack(
  { tracks, floats }: ClipData,
  track: number,
  time: number,
  cursor: number,
  out: Float32Array,
  to = 0,
): number {
  const at = track * TRACK_WORDS;
  const word = tracks[at] as number;
  const interpolation = tracks[at + 1] as number;
  const count = tracks[at + 2] as number;
  const times = tracks[at + 3] as number;
  const values = tracks[at + 4] as number;
  const key = findKey(floats, times, count, time, cursor);
  const isRotation = pathOf(word) === ClipPath.rotation;
  sampleKeys(floats, times, count, values, sizeOf(word), interpolation, isRotation, key, time, out, to);
  return key;
}

/** The weighted sum of the values that clips give to a node's transform. */
export interface Pose {
  /** Weighted sums of values, in the layout of a transform. */
  readonly values: Float64Array;
  /** Sums of weights, by `ClipPath`. */
  readonly weights: Float32Array;
}

export function createPose(): Pose {
  return { values: new Float64Array(TRANSFORM_NUMBERS), weights: new Float32Array(3) };
}

export function clearPose({ values, weights }: Pose): void {
  values.fill(0);
  weights.fill(0);
}

/** Adds a track's value to a pose, with a weight. @param at index of the value's first number in `value` */
export function addToPose(
  { values, weights }: Pose,
  path: number,
  value: Numbers,
  at: number,
  weight: number,
): void {
  const to = PATH_OFFSETS[path as 0 | 1 | 2];
  const size = PATH_SIZES[path as 0 | 1 | 2];
  let signed = weight;
  // A quaternion and its negative are the same rotation. The one nearer to the sum so far is added.
  if (path === ClipPath.rotation) {
    let dot = 0;
    for (let index = 0; index < 4; index++) {
      dot += (values[to + index] as number) * (value[at + index] as number);
    }
    if (dot < 0) signed = -weight;
  }
  for (let index = 0; index < size; index++) {
    values[to + index] = (values[to + index] as number) + (value[at + index] as number) * signed;
  }
  weights[path] = (weights[path] as number) + weight;
}

/**
 * Turns sums into a transform. When weights add up to less than 1, `rest` fills the difference. Sums above 1 are
 * normalised.
 */
export function finishPose(pose: Pose, rest: Float64Array): void {
  const { values, weights } = pose;
  for (let path = 0; path < 3; path++) {
    const sum = weights[path] as number;
    const at = PATH_OFFSETS[path as 0 | 1 | 2];
    const size = PATH_SIZES[path as 0 | 1 | 2];
    if (sum < 1) addToPose(pose, path, rest, at, 1 - sum);
    else if (sum > 1)
      for (let index = at; index < at + size; index++) values[index] = (values[index] as number) / sum;
    if (path === ClipPath.rotation && !isUnit(values, at)) normalize(values, at);
  }
}

/** Returns whether a rotation has unit length. An unmixed rotation is not normalised, so that it stays exact. */
function isUnit(values: Float64Array, at: number): boolean {
  let square = 0;
  for (let index = at; index < at + 4; index++) square += (values[index] as number) ** 2;
  return Math.abs(square - 1) < 1e-6;
}

const difference = /* @__PURE__ */ new Float64Array(4);
const product = /* @__PURE__ */ new Float64Array(4);

/** Adds the difference between a track's value and its first value to a finished pose, weighted. */
export function addDifference(
  { values }: Pose,
  path: number,
  value: Float32Array,
  first: Float32Array,
  weight: number,
): void {
  const at = PATH_OFFSETS[path as 0 | 1 | 2];
  if (path === ClipPath.position) {
    for (let index = 0; index < 3; index++)
      values[at + index] =
        (values[at + index] as number) + ((value[index] as number) - (first[index] as number)) * weight;
    return;
  }
  if (path === ClipPath.scale) {
    for (let index = 0; index < 3; index++) {
      const factor = (value[index] as number) / (first[index] || 1);
      values[at + index] = (values[at + index] as number) * (1 + (factor - 1) * weight);
    }
    return;
  }
  // The turn is first⁻¹ · value. The weight scales the turn, which then multiplies the pose from the right.
  const turn = difference;
  multiply(first, 0, -1, value, 0, turn);
  const sign = (turn[3] as number) < 0 ? -weight : weight;
  for (let index = 0; index < 4; index++) turn[index] = (turn[index] as number) * sign;
  turn[3] = (turn[3] as number) + 1 - weight;
  normalize(turn, 0);
  multiply(values, at, 1, turn, 0, product);
  for (let index = 0; index < 4; index++) values[at + index] = product[index] as number;
}

/** Multiplies two quaternions. A `sign` of −1 inverts the first quaternion by negating its vector part. */
function multiply(a: Numbers, aAt: number, sign: number, b: Numbers, bAt: number, out: Float64Array): void {
  const ax = (a[aAt] as number) * sign;
  const ay = (a[aAt + 1] as number) * sign;
  const az = (a[aAt + 2] as number) * sign;
  const aw = a[aAt + 3] as number;
  const bx = b[bAt] as number;
  const by = b[bAt + 1] as number;
  const bz = b[bAt + 2] as number;
  const bw = b[bAt + 3] as number;
  out[0] = aw * bx + ax * bw + ay * bz - az * by;
  out[1] = aw * by - ax * bz + ay * bw + az * bx;
  out[2] = aw * bz + ax * by - ay * bx + az * bw;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Returns the remainder of a division, from 0 to below the divisor. Values within that range stay exact. */
function modulo(value: number, divisor: number): number {
  const rest = value % divisor;
  return rest > 0 ? rest : (rest + divisor) % divisor;
}
