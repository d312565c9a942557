/** A compiled graph as plain data, for printing, drawing, comparing and sending to another thread. */
export interface GraphPicture {
  /** All passes, in the order of set-up. */
  readonly passes: readonly PicturePass[];
  readonly resources: readonly PictureResource[];
  /** Bytes that the transient resources would take if each had its own memory. */
  readonly unsharedBytes: number;
  /** Bytes that the transient resources take with sharing. */
  readonly sharedBytes: number;
}

export interface PicturePass {
  readonly name: string;
  readonly kind: string;
  readonly queue: string;
  /** Whether the pass is left out because nothing needs its output. */
  readonly isCulled: boolean;
  /** Whether each declaration and use of the pass is checked, as all are in development and with `validation`. */
  readonly isChecked: boolean;
  readonly reads: readonly PictureAccess[];
  readonly writes: readonly PictureAccess[];
  /** GPU time in the last measured frame, in milliseconds; null if it was not measured. */
  readonly gpuMs: number | null;
}

export interface PictureAccess {
  readonly resource: string;
  readonly use: string;
  /** Whether the access writes contents that another pass, or code outside the graph, needs. Always false for reads. */
  readonly isStored: boolean;
}

export interface PictureResource {
  readonly name: string;
  /** The kind and size, such as `texture 640 × 360 rgba16float` or `buffer`. */
  readonly description: string;
  readonly bytes: number;
  readonly isImported: boolean;
  /** Names of the first and the last pass of the resource's lifetime; null if no executed pass uses the resource. */
  readonly lives: readonly [from: string, to: string] | null;
  /**
   * Number of the pooled texture or buffer that holds the resource, from 0. Resources that share memory have the same
   * number. Null for imported and unused resources.
   */
  readonly memory: number | null;
}

/** Returns the picture with GPU times. @param times milliseconds by pass name; null if nothing was measured */
export function withTimes(picture: GraphPicture, times: ReadonlyMap<string, number> | null): GraphPicture {
  const passes = picture.passes.map((pass) => ({
    ...pass,
    gpuMs: pass.isCulled ? null : (times?.get(pass.name) ?? null),
  }));
  return { ...picture, passes };
}
