import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { CheckedPass } from './checked-pass.js';
import type { FrameGraph } from './frame-graph.js';
import type { GraphPass } from './graph-pass.js';

/**
 * Checks all passes of a graph, including the engine's (SYSTEMS X1). The checked form of each pass is cached, so a
 * steady frame creates none. Used in development, with the option `validation`, and in tests.
 */
class PassChecker {
  readonly #graph: FrameGraph;
  readonly #rhi: ImmediateContext;
  readonly #checked = new WeakMap<GraphPass, CheckedPass>();

  constructor(graph: FrameGraph, rhi: ImmediateContext) {
    this.#graph = graph;
    this.#rhi = rhi;
  }

  /** Returns the pass in its checked form. */
  readonly check = (pass: GraphPass): GraphPass => {
    // Passes of render modules are checked already.
    if (pass.isChecked) return pass;
    let checked = this.#checked.get(pass);
    if (!checked) {
      checked = new CheckedPass(this.#graph, this.#rhi, pass);
      this.#checked.set(pass, checked);
    }
    return checked;
  };
}

/** Makes the graph check every pass from its next frame on. A pass that breaks a rule throws a GraphError. */
export function checkGraph(graph: FrameGraph, rhi: ImmediateContext): void {
  graph.checkPass = new PassChecker(graph, rhi).check;
}
