import { OptionError } from '../../core/errors.js';
import { diffGraphs } from '../../graph/description/diff-graphs.js';
import { drawGraph } from '../../graph/description/draw-graph.js';
import type { GraphPicture, PicturePass, PictureResource } from '../../graph/description/graph-picture.js';
import { printGraph } from '../../graph/description/print-graph.js';

/** What a frame was made of: plain data, and ways to look at it. */
export class FrameDescription implements GraphPicture {
  /** In the order in which they were added; those that nobody needed are among them. */
  readonly passes: readonly PicturePass[];
  readonly resources: readonly PictureResource[];
  /** Of what lives in the frame alone, if each had memory of its own. */
  readonly unsharedBytes: number;
  /** And as it shares memory. */
  readonly sharedBytes: number;

  /** @internal use `engine.frameGraph()` */
  constructor({ passes, resources, unsharedBytes, sharedBytes }: GraphPicture) {
    this.passes = passes;
    this.resources = resources;
    this.unsharedBytes = unsharedBytes;
    this.sharedBytes = sharedBytes;
  }

  /** A line per pass and resource. */
  toString(): string {
    return printGraph(this);
  }

  /** An SVG document: a column per pass, a row per resource with its life; red dots are writes, blue ones reads. */
  toSvg(): string {
    return drawGraph(this);
  }

  /**
   * Line by line, `- ` before what is gone and `+ ` before what is new; times don't count. Empty: nothing has changed.
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
