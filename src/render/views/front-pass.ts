import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { SceneViewState } from './scene-view-state.js';

/**
 * Draws blended surfaces from back to front, after all layers of transmissive surfaces, and after the blended surfaces of
 * weighted transparency.
 */
export class FrontPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly #state: SceneViewState;

  constructor(state: SceneViewState) {
    this.#state = state;
    this.name = `blended${state.suffix}`;
  }

  setup(builder: PassBuilder): void {
    this.#state.declareLitReads(builder);
    this.#state.targets.attach(builder);
  }

  prepare(context: PassContext): void {
    this.#state.bindLit(context);
  }

  execute(context: PassContext): void {
    this.#state.recordFront(context);
  }
}
