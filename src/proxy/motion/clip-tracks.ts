/**
 * The encoding of the words of a clip's tracks. Sampling has its own file (`clip.ts`), which pages without playing
 * clips do not load.
 */

/** Words per track. */
export const TRACK_WORDS = 5;

/**
 * The target of a track: a part of a node's transform, the weights of its morph targets, a property of a material,
 * light or camera (`clip-properties.ts`), or visibility.
 */
export const ClipPath = {
  position: 0,
  rotation: 1,
  scale: 2,
  weights: 3,
  material: 4,
  light: 5,
  camera: 6,
  /** Visibility of a node, 0 or 1. Only the game evaluates it (`game/animation/clip-visibility.ts`). */
  visibility: 7,
} as const;

/** Returns a track's first word: the path, the count of numbers per key, and the index of the first property. */
export const pathWord = (path: number, size: number, first = 0): number => path | (size << 3) | (first << 8);
export const pathOf = (word: number): number => word & 7;
export const sizeOf = (word: number): number =>
  pathOf(word) > ClipPath.weights ? (word >>> 3) & 31 : word >>> 3;
/** Returns the index of the first property of a track. */
export const firstOf = (word: number): number => word >>> 8;

/**
 * Minimum number of playing tracks at which helpers of the render thread sample some of the tracks
 * (docs/architecture/decisions.md, 32).
 */
export const CROWD_TRACKS = 2048;
