import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { DrawBehind, SceneViewState } from '../views/scene-view-state.js';
import type { DeferredView } from './deferred-view.js';

/** Sections of the mesh pass, see `PipelineCache.sectionOf`. */
const SURFACES = 0;
const REST = 1;

/**
 * A pass of a view. The subclasses below are listed in drawing order. Each pass draws over the previous pass's result
 * in the scene's targets.
 */
abstract class DeferredPass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  protected readonly view: DeferredView;
  protected readonly state: SceneViewState;

  constructor(view: DeferredView, name: string) {
    this.view = view;
    this.state = view.state;
    this.name = `${name}${view.state.suffix}`;
  }

  abstract setup(builder: PassBuilder): void;

  prepare(context: PassContext): void {
    this.state.bind(context);
  }

  abstract execute(context: PassContext): void;
}

/** The background, drawn behind all surfaces. */
export class BackgroundPass extends DeferredPass {
  /** Draws the background. Called while bind group 0 is set. */
  draw: DrawBehind | undefined;

  override setup(builder: PassBuilder): void {
    const { targets } = this.state;
    this.state.declareReads(builder);
    targets.create(builder);
    targets.attach(builder);
  }

  override execute(context: PassContext): void {
    context.rhi.setBindGroup(0, this.state.bindGroup(context));
    this.draw?.(context, this.state.targets.format);
  }
}

/** Writes surfaces: their emitted light to scene colour, their other properties to the surface targets. */
export class SurfacesPass extends DeferredPass {
  hasBackground = false;

  override setup(builder: PassBuilder): void {
    const { targets } = this.state;
    this.state.declareReads(builder);
    if (!this.hasBackground) targets.create(builder);
    targets.color = builder.color(targets.color);
    this.view.surfaces.attach(builder);
    targets.depth = builder.depth(targets.depth, CLEARED_DEPTH);
  }

  override execute(context: PassContext): void {
    this.state.record(context, SURFACES);
  }
}

/** Lights each pixel once and adds the reflected light to scene colour. */
export class LightingPass extends DeferredPass {
  override setup(builder: PassBuilder): void {
    const { targets } = this.state;
    this.state.declareLitReads(builder);
    for (const texture of this.view.surfaces.textures) builder.read(texture, 'sampled');
    builder.read(targets.depth, 'sampled');
    targets.color = builder.color(targets.color);
  }

  override prepare(context: PassContext): void {
    this.state.bindLit(context);
    this.view.bind(context);
  }

  override execute(context: PassContext): void {
    const { rhi } = context;
    rhi.setGraphicsPipeline(this.view.pipelines.get(this.state.targets.format));
    rhi.setBindGroup(0, this.state.litBindGroup(context));
    rhi.setBindGroup(1, this.view.bindGroup);
    rhi.draw(3);
  }
}

/** Draws all other meshes, such as blended and unlit surfaces. */
export class RestPass extends DeferredPass {
  override setup(builder: PassBuilder): void {
    this.state.declareLitReads(builder);
    this.state.targets.attach(builder);
  }

  override prepare(context: PassContext): void {
    this.state.bindLit(context);
  }

  override execute(context: PassContext): void {
    this.state.record(context, REST);
  }
}

const CLEARED_DEPTH = { clear: 0 };
