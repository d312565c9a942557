import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { CasterPipelines } from '../shadows/caster-pipelines.js';
import type { CatcherPipelines } from './catcher-pipelines.js';
import type { ShadowCatcher } from './shadow-catcher.js';

/**
 * A pass that draws one of a catcher's textures. The pass is idle in frames that keep the textures. An idle pass stays
 * in the graph, so the graph is the same in all frames.
 */
abstract class ShadePass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  protected readonly catcher: ShadowCatcher;

  constructor(catcher: ShadowCatcher, name: string) {
    this.catcher = catcher;
    this.name = name;
  }

  get isIdle(): boolean {
    return !this.catcher.isRedrawn;
  }

  abstract setup(builder: PassBuilder): void;
  abstract execute(context: PassContext): void;
}

/** Draws the depth of the things above the ground, from below. */
export class BelowPass extends ShadePass {
  readonly #casters: CasterPipelines;
  #clearing: GraphicsPipelineHandle | undefined;

  constructor(catcher: ShadowCatcher, name: string, casters: CasterPipelines) {
    super(catcher, `${name}, from below`);
    this.#casters = casters;
  }

  override setup(builder: PassBuilder): void {
    const { depth } = this.catcher.resources;
    depth.version = builder.depth(depth.version);
  }

  prepare(): void {
    this.#clearing = this.#casters.clearing;
  }

  override execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#clearing as GraphicsPipelineHandle);
    rhi.draw(3);
    this.catcher.meshes.record();
  }
}

/** Blurs the shadow along one axis. The first blur also computes the shadow from depth. */
export class BlurPass extends ShadePass {
  readonly #pipelines: CatcherPipelines;
  readonly #isFirst: boolean;

  /** @param isFirst whether the pass blurs along X, rather than along Z */
  constructor(catcher: ShadowCatcher, name: string, pipelines: CatcherPipelines, isFirst: boolean) {
    super(catcher, `${name}, blur along ${isFirst ? 'X' : 'Z'}`);
    this.#pipelines = pipelines;
    this.#isFirst = isFirst;
  }

  override setup(builder: PassBuilder): void {
    const { depth, half, shade } = this.catcher.resources;
    const [source, target] = this.#isFirst ? [depth, half] : [half, shade];
    builder.read(source.version, 'sampled');
    target.version = builder.color(target.version);
  }

  override execute({ rhi }: PassContext): void {
    const { blurX, blurZ } = this.catcher.resources;
    rhi.setGraphicsPipeline(this.#isFirst ? this.#pipelines.blurX : this.#pipelines.blurZ);
    rhi.setBindGroup(0, this.#isFirst ? blurX : blurZ);
    rhi.draw(3);
  }
}
