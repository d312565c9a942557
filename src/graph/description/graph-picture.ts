/** A compiled graph as plain data: to print, to draw, to compare, and to send to another thread. */
export interface GraphPicture {
  /** In the order of set-up. */
  readonly passes: readonly PicturePass[];
  readonly resources: readonly PictureResource[];
  /** Of the transient resources, if each had memory of its own. */
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
}

export interface PicturePass {
  readonly name: string;
  readonly kind: string;
  readonly queue: string;
  /** Nobody needs what it writes, so it isn't executed. */
  readonly isCulled: boolean;
  readonly reads: readonly PictureAccess[];
  readonly writes: readonly PictureAccess[];
  /** Of the GPU, in the last frame that was measured; null: not measured. */
  readonly gpuMs: number | null;
}

export interface PictureAccess {
  readonly resource: string;
  readonly use: string;
  /** Of a write: whether its contents are kept for somebody. */
  readonly isStored: boolean;
}

export interface PictureResource {
  readonly name: string;
  /** Such as `texture 640 × 360 rgba16float` or `buffer`. */
  readonly description: string;
  readonly bytes: number;
  readonly isImported: boolean;
  /** Names of the first and the last pass of its life; null: no executed pass uses it. */
  readonly lives: readonly [from: string, to: string] | null;
  /** Which piece of memory it lies in, from 0; resources with the same number share it. Null: imported or unused. */
  readonly memory: number | null;
}

/** @param times of the GPU by names of passes, in milliseconds; null: not measured */
export function withTimes(picture: GraphPicture, times: ReadonlyMap<string, number> | null): GraphPicture {
  const passes = picture.passes.map((pass) => ({
    ...pass,
    gpuMs: pass.isCulled ? null : (times?.get(pass.name) ?? null),
  }));
  return { ...picture, passes };
}
