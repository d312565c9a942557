/** The loops that helpers take part in. */
export enum LoopKind {
  cull = 0,
  record = 1,
  sample = 2,
  hide = 3,
}

/** Arguments of the culling loop, from `RangeWord.arguments` on. */
export enum CullArgument {
  /** Number of the shared memory that holds bounds. */
  bounds = 0,
  /** Number of the shared memory that holds the culling data besides bounds. */
  arrays = 1,
  /** Number of groups whose primitives are tested one by one. */
  groups = 2,
  kind = 3,
}

/** Arguments of the occlusion loop. It also uses the arguments of the culling loop that name memories. */
export enum HideArgument {
  /** Number of words of visible bits. */
  words = 2,
  kind = 3,
  /** Number of the shared memory that holds the grid. */
  grid = 5,
}

/** Arguments of the recording loop, as indices into the words from `RangeWord.arguments` on, which all loops share. */
export enum RecordArgument {
  runsPerList = 2,
  kind = 3,
  /** Number of the shared memory that holds draws. */
  draws = 4,
  runs = 5,
  frameGroup = 6,
  attributes = 7,
}

/**
 * Arguments of the loop that samples clips, as indices into the words from `RangeWord.arguments` on, which all loops
 * share.
 */
export enum SampleArgument {
  kind = 3,
  /** Number of the shared memory that holds entries and values. */
  samples = 8,
  /** Number of the newest clip that has not been forgotten. */
  clips = 9,
  entries = 10,
  perRange = 11,
}

/**
 * Messages to helpers. A message sends a shared memory that loops use from now on, or adds or removes a clip.
 * The memory holds bounds, other culling data, the occlusion grid, draws or samples of clips.
 */
export type MemoryMessage =
  | { readonly kind: 'bounds'; readonly number: number; readonly buffer: SharedArrayBuffer }
  | {
      readonly kind: 'arrays';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Capacity in words of candidates. */
      readonly words: number;
    }
  | { readonly kind: 'grid'; readonly number: number; readonly buffer: SharedArrayBuffer }
  | {
      readonly kind: 'draws';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Capacity in ranks. */
      readonly rankCount: number;
      /** Capacity in runs. */
      readonly runCount: number;
      /** Capacity of each thread in sub-lists. */
      readonly lists: number;
      /** Number of threads, including the render thread. */
      readonly threads: number;
    }
  | {
      readonly kind: 'samples';
      readonly number: number;
      readonly buffer: SharedArrayBuffer;
      /** Capacity in entries. */
      readonly entries: number;
      /** Capacity of each thread in values. */
      readonly values: number;
      /** Number of threads, including the render thread. */
      readonly threads: number;
    }
  | {
      readonly kind: 'clip';
      readonly number: number;
      readonly duration: number;
      readonly tracks: SharedArrayBuffer;
      readonly floats: SharedArrayBuffer;
    }
  /** The clip was destroyed. */
  | { readonly kind: 'forgetClip'; readonly number: number };

/**
 * Messages from the page, which passes memories on to the helpers. `listens`: the page can receive memories. `lost`:
 * the page could not read a message, and needs every memory again.
 */
export type HelperMessage = 'listens' | 'lost';

/** The messages that a helper needs before it can take part in loops. */
export class KeptMemories {
  /** The newest message of each kind, and one message per clip. */
  readonly #kept = new Map<string, MemoryMessage>();
  /** Bytes of all kept memories. */
  byteLength = 0;

  keep(message: MemoryMessage): void {
    const isOfClip = message.kind === 'clip' || message.kind === 'forgetClip';
    const key = isOfClip ? `clip ${message.number}` : message.kind;
    const replaced = this.#kept.get(key);
    if (replaced) this.byteLength -= bytesOf(replaced);
    if (message.kind === 'forgetClip') this.#kept.delete(key);
    else this.#kept.set(key, message);
    this.byteLength += bytesOf(message);
  }

  all(): Iterable<MemoryMessage> {
    return this.#kept.values();
  }
}

function bytesOf(message: MemoryMessage): number {
  if (message.kind === 'forgetClip') return 0;
  if (message.kind === 'clip') return message.tracks.byteLength + message.floats.byteLength;
  return message.buffer.byteLength;
}

/** Workers of the pool that help with the loops. */
export interface LoopHelpers {
  /** The shared words, `RANGE_MEMORY_BYTES` long. */
  readonly memory: SharedArrayBuffer;
  /** Highest number of a helper. Each number has memory of its own, even if its worker takes no part. */
  readonly count: number;
  /** Number of workers that may take part at the same time. */
  readonly takers: number;
  /**
   * Number of sub-lists to make per pass, even for few draws. Rounding may give fewer. A pass has more if a sub-list
   * would otherwise exceed `RUNS_PER_LIST` runs. 0: the number of draws decides.
   */
  readonly recordingTasks: number;
  /** Wakes the workers that sleep. */
  wake(): void;
  /** Sends a message to all helpers. The arguments of later loops name its memory by number. */
  share(message: MemoryMessage): void;
}
