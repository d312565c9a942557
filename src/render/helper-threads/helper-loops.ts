/** Messages of the render thread's loops to its helpers: which loop, over which data, in which memories. */

/** The loops. */
export enum LoopKind {
  cull = 0,
  record = 1,
  sample = 2,
  hide = 3,
}

/** Arguments of the loop that culls, behind `RangeWord.arguments`. */
export enum CullArgument {
  /** The number of the memory of bounds, then of that which the culler and its helpers share. */
  bounds = 0,
  arrays = 1,
  /** Groups that are to be looked into. */
  groups = 2,
  kind = 3,
}

/** Arguments of the loop that hides, beside the memories of the loop that culls. */
export enum HideArgument {
  /** Words of bits. */
  words = 2,
  kind = 3,
  /** The number of the memory of the grid. */
  grid = 5,
}

/** Arguments of the loop that records, in the same words. */
export enum RecordArgument {
  kind = 3,
  /** The number of the memory of draws. */
  draws = 4,
  runs = 5,
  frameGroup = 6,
  attributes = 7,
}

/** Arguments of the loop that samples clips, in the same words. */
export enum SampleArgument {
  kind = 3,
  /** The number of the memory of entries and values, and of the newest clip. */
  samples = 8,
  clips = 9,
  entries = 10,
  perRange = 11,
}

/** To helpers: the memory that loops use from now on for bounds, for all else that culling takes, for what hides, for draws, or for sampled clips; and clips. */
export type MemoryMessage =
  | { readonly kind: 'bounds'; readonly number: number; readonly buffer: SharedArrayBuffer }
  | {
      readonly kind: 'arrays';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Words of candidates that fit. */
      readonly words: number;
    }
  | { readonly kind: 'grid'; readonly number: number; readonly buffer: SharedArrayBuffer }
  | {
      readonly kind: 'draws';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Ranks and runs that fit, and the number of threads with sub-lists of their own. */
      readonly rankCount: number;
      readonly runCount: number;
      readonly threads: number;
    }
  | {
      readonly kind: 'samples';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Entries and values that fit, and the number of threads with values of their own. */
      readonly entries: number;
      readonly values: number;
      readonly threads: number;
    }
  | {
      readonly kind: 'clip';
      readonly number: number;
      readonly duration: number;
      readonly tracks: SharedArrayBuffer;
      readonly floats: SharedArrayBuffer;
    }
  /** No playback plays the clip any more. */
  | { readonly kind: 'forgetClip'; readonly number: number };

/** From a helper, which says first that it listens, and asks for every memory again when it could not read a message. */
export type HelperMessage = 'listens' | 'lost';

export interface LoopHelpers {
  /** `RANGE_MEMORY_BYTES` of them. */
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  /** Tells all of them of the memory that loops use from now on; arguments name it by its number. */
  share(message: MemoryMessage): void;
}
