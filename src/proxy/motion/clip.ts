/**
 * Clips: what a file animates, as plain numbers, and how they are played. The render thread moves nodes by them, the game
 * reads where they are; both run this code on the same numbers: keys of 32 bits, times and weights of 64.
 *
 *   tracks │ path and size, interpolation, key count k, times at, values at │ …      one per animated part of a node
 *   floats │ times of track 0 │ values of track 0 │ …                       cubic: k × (in-tangent, value, out-tangent)
 *
 *   scene time ─► playbackSeconds ─► sampleTrack ─► addToPose, by playbackWeight ─► finishPose over the node's rest
 */
import { ClipPath, pathOf, sizeOf, TRACK_WORDS } from './clip-tracks.js';
import { findKey, normalize, sampleKeys } from './interpolate.js';

export interface ClipData {
  /** Seconds. */
  readonly duration: number;
  /** `TRACK_WORDS` per track. */
  readonly tracks: Uint32Array;
  readonly floats: Float32Array;
}

/** By `ClipPath`, of transforms: where it begins in a transform, and how many floats it has. */
const PATH_OFFSETS = [0, 3, 7] as const;
export const PATH_SIZES = [3, 4, 3] as const;

export const PlaybackMode = { repeat: 0, once: 1, pingPong: 2 } as const;

export interface PlaybackState {
  /** Scene time at which the clip is at `offsetSeconds`. */
  readonly startSeconds: number;
  readonly offsetSeconds: number;
  readonly speed: number;
  /** `PlaybackMode`. */
  readonly mode: number;
  /** From scene time `fadeStart` on the weight goes from one to the other. */
  readonly fadeStart: number;
  readonly fadeSeconds: number;
  readonly weightFrom: number;
  readonly weightTo: number;
}

/** How far a playback has come, in seconds of the clip that go on where it repeats or turns. */
export function playbackWay(
  { offsetSeconds, speed, startSeconds }: PlaybackState,
  sceneSeconds: number,
): number {
  return speed === 0 ? offsetSeconds : offsetSeconds + Math.max(sceneSeconds - startSeconds, 0) * speed;
}

/** Where in the clip a playback is, in seconds. */
export function playbackSeconds(state: PlaybackState, duration: number, sceneSeconds: number): number {
  const { speed, mode } = state;
  const seconds = playbackWay(state, sceneSeconds);
  const isClamped = mode === PlaybackMode.once || duration === 0;
  // One that stands still is exactly there: the end is not the beginning.
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

/** Scene time at which a clip that is played once comes to its end, whatever it weighs; Infinity: it never does. */
export function clipEnd(state: PlaybackState, duration: number): number {
  const { startSeconds, offsetSeconds, speed, mode } = state;
  if (mode !== PlaybackMode.once) return Number.POSITIVE_INFINITY;
  if (duration === 0) return startSeconds;
  // Held in its middle it is not at its end, however long.
  if (speed === 0) return Number.POSITIVE_INFINITY;
  const rest = speed > 0 ? duration - offsetSeconds : offsetSeconds;
  return startSeconds + Math.max(rest, 0) / Math.abs(speed);
}

/** Scene time from which on the pose no longer changes; Infinity: it always does. */
export function playbackEnd(state: PlaybackState, duration: number): number {
  const { speed, fadeStart, fadeSeconds, weightTo } = state;
  const fadeEnd = fadeStart + fadeSeconds;
  if (weightTo === 0 || speed === 0 || duration === 0) return fadeEnd;
  return Math.max(fadeEnd, clipEnd(state, duration));
}

/**
 * Writes a track's value at `time` to `out`, at `to`.
 * @param cursor the key it was at before: most likely it is still there, or one further
 * @returns the key it is at
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

/** The weighted sum of what clips say of a node's transform. */
export interface Pose {
  /** A transform: sums of values. */
  readonly values: Float32Array;
  /** By `ClipPath`: sums of weights. */
  readonly weights: Float32Array;
}

export function createPose(): Pose {
  return { values: new Float32Array(10), weights: new Float32Array(3) };
}

export function clearPose({ values, weights }: Pose): void {
  values.fill(0);
  weights.fill(0);
}

/** @param at index in `value` of what the track says */
export function addToPose(
  { values, weights }: Pose,
  path: number,
  value: Float32Array,
  at: number,
  weight: number,
): void {
  const to = PATH_OFFSETS[path as 0 | 1 | 2];
  const size = PATH_SIZES[path as 0 | 1 | 2];
  let signed = weight;
  // A quaternion and its negative are one rotation: the one that is nearer to what is there already counts.
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

/** Makes a transform of the sums: where weights add up to less than 1, the rest is `rest`'s; more count as shares of it. */
export function finishPose(pose: Pose, rest: Float32Array): void {
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

/** A rotation that was not mixed stays as it is, to the bit. */
function isUnit(values: Float32Array, at: number): boolean {
  let square = 0;
  for (let index = at; index < at + 4; index++) square += (values[index] as number) ** 2;
  return Math.abs(square - 1) < 1e-6;
}

const difference = /* @__PURE__ */ new Float32Array(4);
const product = /* @__PURE__ */ new Float32Array(4);

/** Adds to a finished pose by how much a track's value differs from that of the clip's beginning. */
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
  // first⁻¹ · value, of which the weight's share is turned, behind what is there.
  const turn = difference;
  multiply(first, 0, -1, value, 0, turn);
  const sign = (turn[3] as number) < 0 ? -weight : weight;
  for (let index = 0; index < 4; index++) turn[index] = (turn[index] as number) * sign;
  turn[3] = (turn[3] as number) + 1 - weight;
  normalize(turn, 0);
  multiply(values, at, 1, turn, 0, product);
  for (let index = 0; index < 4; index++) values[at + index] = product[index] as number;
}

/** Of two quaternions; the vector of the first is taken times `sign`: −1 for its inverse. */
function multiply(
  a: Float32Array,
  aAt: number,
  sign: number,
  b: Float32Array,
  bAt: number,
  out: Float32Array,
): void {
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

/** From 0 up to the divisor; what lies there already stays as it is, to the bit. */
function modulo(value: number, divisor: number): number {
  const rest = value % divisor;
  return rest > 0 ? rest : (rest + divisor) % divisor;
}
