/** What the words of a clip's tracks mean, apart from sampling, which whoever plays no clip does without. */

/** Words per track. */
export const TRACK_WORDS = 5;

/**
 * What a track drives: a part of a node's transform, or the weights of its morph targets; from `material` on, numbers of something else
 * (`clip-properties.ts`).
 */
export const ClipPath = {
  position: 0,
  rotation: 1,
  scale: 2,
  weights: 3,
  material: 4,
  light: 5,
  camera: 6,
  /** Of a node, 0 or 1: the game's own (`game/animation/clip-visibility.ts`). */
  visibility: 7,
} as const;

/** A track's first word: the path, and with `weights` how many there are, with properties how many and the first of them. */
export const pathWord = (path: number, size: number, first = 0): number => path | (size << 3) | (first << 8);
export const pathOf = (word: number): number => word & 7;
export const sizeOf = (word: number): number =>
  pathOf(word) > ClipPath.weights ? (word >>> 3) & 31 : word >>> 3;
/** Of properties. */
export const firstOf = (word: number): number => word >>> 8;

/**
 * Tracks of clips that play at a time from which on helpers of the render thread sample them, too. With 2,280 one helper takes the render thread's
 * own time for posing and moving their nodes from 294 to 218 µs (docs/architecture/decisions.md, 32).
 */
export const CROWD_TRACKS = 2048;
