import { OptionError } from '../../core/errors.js';
import { diffGraphs } from '../../graph/description/diff-graphs.js';
import { drawGraph } from '../../graph/description/draw-graph.js';
import type { GraphPicture, PicturePass, PictureResource } from '../../graph/description/graph-picture.js';
import { printGraph } from '../../graph/description/print-graph.js';

/** Describes the passes and resources of a frame as plain data, which can be printed, drawn and compared. */
export class FrameDescription implements GraphPicture {
  /** All passes in the order in which they were added, including culled passes. */
  readonly passes: readonly PicturePass[];
  readonly resources: readonly PictureResource[];
  /** Bytes of all transient resources if each had its own memory. */
  readonly unsharedBytes: number;
  /** Bytes of all transient resources as they share memory. */
  readonly sharedBytes: number;

  /** @internal use `engine.frameGraph()` */
  constructor({ passes, resources, unsharedBytes, sharedBytes }: GraphPicture) {
    this.passes = passes;
    this.resources = resources;
    this.unsharedBytes = unsharedBytes;
    this.sharedBytes = sharedBytes;
  }

  /** Returns a text with one line per pass and resource. */
  toString(): string {
    return printGraph(this);
  }

  /**
   * Returns an SVG document: a column per pass, a row per resource with its lifetime. Red dots are writes, blue dots
   * reads.
   */
  toSvg(): string {
    return drawGraph(this);
  }

  /**
   * Returns the changed lines since an earlier frame: `- ` before removed lines, `+ ` before new lines. Times are
   * ignored. The array is empty if nothing has changed.
   * @throws OptionError `option-invalid`
   */
  changesSince(before: GraphPicture): readonly string[] {
    if (!Array.isArray(before?.passes) || !Array.isArray(before.resources)) {
      throw new OptionError(
        'option-invalid',
        'changesSince takes an earlier frame: await engine.frameGraph().',
      );
    }
    return diffGraphs(before, this);
  }
}
