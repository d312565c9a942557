/**
 * Interfaces of the features that draw in a view after its opaque scene. A view imports these interfaces instead of the
 * features.
 */
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass } from '../../graph/graph-pass.js';

/** Draws transmissive or weighted surfaces of a view in passes after the opaque scene. */
export interface ViewBlending {
  /** Per frame, outside passes: uploads settings, and creates missing pipelines. */
  prepare(): void;
  /** Per frame, after the opaque scene: adds the passes if the view has such surfaces. */
  addPasses(graph: FrameGraph): void;
  dispose(): void;
}

/** Draws over the opaque scene of a view, before glass and blended surfaces. */
export interface ViewOverlay {
  /** Whether the overlay draws in this frame. */
  readonly isShown: boolean;
  /** Per frame, after the opaque scene: adds the pass if `isShown` is true. */
  addPasses(graph: FrameGraph): void;
}

/** Draws the decals of a view. */
export interface ViewDecalDrawer extends ViewOverlay {
  dispose(): void;
}

/** Draws the particles of a view. */
export interface ViewParticles {
  /**
   * Per frame, outside passes: creates missing pipelines, and prepares the sorts.
   * @param keptDepth pass that keeps the depth of the view for the next frame, if particles need it
   */
  prepare(keptDepth: GraphPass | undefined): void;
  /**
   * Per frame: adds the passes that sort and draw a part of the systems.
   * @param isBehindGlass true: the systems behind glass; false: all other systems
   */
  addPasses(graph: FrameGraph, isBehindGlass: boolean): void;
  dispose(): void;
}
