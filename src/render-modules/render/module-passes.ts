import type { FrameGraph } from '../../graph/frame-graph.js';
import type { AddedPasses } from '../../render/added-passes.js';
import type { PicturePass } from '../../render/picture/picture-pass.js';
import type { Scene } from '../../render/scene/scene.js';
import type { SceneViewState } from '../../render/views/scene-view-state.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { PassStage, RenderPass } from '../render-graph-api.js';
import type { RenderFrame } from '../render-module-api.js';
import type { LoadedModule } from './loaded-module.js';
import { ModulePass, type ModulePassHost } from './module-pass.js';
import { PassChecks } from './pass-recorder.js';
import { PictureTarget, ViewTarget } from './pass-targets.js';

/** An addition of a module: one pass, or one pass per view. */
interface Addition {
  readonly module: LoadedModule;
  readonly stage: PassStage;
  readonly create: (target: never) => RenderPass;
  /** Passes by their target: the frame, a view, or the picture. */
  readonly passes: Map<object, ModulePass>;
  isEnded: boolean;
}

export interface ModulePassesHost {
  readonly graph: FrameGraph;
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  /** The frame that is being recorded. */
  readonly frame: RenderFrame & { deltaSeconds: number };
  enter(action: () => void): void;
  report(module: LoadedModule, subject: string, error: unknown): void;
}

/**
 * The passes that render modules add to the frame graph. The commands of each pass are checked. If a pass throws, the
 * error is reported and the pass is removed; the frame continues.
 *
 *   addPass(stage, create) ─► addition ── create, once per target ─► ModulePass ── each frame ─► graph
 *                                │ removed, failed, or the view has ended
 *                                └─► next frame: dispose
 */
export class ModulePasses implements AddedPasses {
  readonly #host: ModulePassesHost;
  readonly #passHost: ModulePassHost;
  #additions: readonly Addition[] = [];
  readonly #views = new Map<SceneViewState, ViewTarget>();
  readonly #picture: PictureTarget;
  /** Passes that threw in this frame, with their additions. */
  readonly #failed = new Map<ModulePass, Addition>();
  /** Removed passes, which the next frame disposes of. */
  readonly #ended: ModulePass[] = [];

  constructor(host: ModulePassesHost) {
    const { graph, rhi } = host;
    this.#host = host;
    this.#passHost = {
      graph,
      rhi,
      checks: new PassChecks(),
      enter: (action) => host.enter(action),
    };
    this.#picture = new PictureTarget(host.frame);
  }

  /** Adds a pass. @returns a function that removes it */
  add(module: LoadedModule, stage: PassStage, create: (target: never) => RenderPass): () => void {
    const addition: Addition = { module, stage, create, passes: new Map(), isEnded: false };
    this.#additions = [...this.#additions, addition];
    return () => this.#end(addition);
  }

  /** Removes all passes of a module. */
  forget(module: LoadedModule): void {
    for (const addition of this.#additions) if (addition.module === module) this.#end(addition);
  }

  addToFrame(graph: FrameGraph, isRepeated: boolean): void {
    const { frame } = this.#host;
    if (isRepeated) frame.deltaSeconds = 0;
    this.#forgetViews();
    this.#disposeEnded();
    for (const addition of this.#additions) {
      if (addition.stage !== 'frame') continue;
      const pass = addition.passes.get(frame) ?? this.#create(addition, frame);
      if (!pass) continue;
      pass.isRepeated = isRepeated;
      this.#addPass(graph, pass);
    }
  }

  addToView(graph: FrameGraph, state: SceneViewState): void {
    let view = this.#views.get(state);
    if (this.#additions.length === 0) return;
    if (!view) {
      view = new ViewTarget(this.#host.frame, graph, this.#host.scene, state);
      this.#views.set(state, view);
    }
    const { targets } = state;
    if (view.passFormat !== targets.colorFormat) {
      // The passes' pipelines have another colour format, so create the passes again.
      this.#endPassesOf(view);
      view.passFormat = targets.colorFormat;
    }
    for (const addition of this.#additions) {
      if (addition.stage !== 'view') continue;
      const { color, depth } = targets;
      const isAdded = this.#add(graph, addition, view);
      if (!isAdded) {
        targets.color = color;
        targets.depth = depth;
      }
      state.renderer?.follow(graph, isAdded);
    }
  }

  addToPicture(graph: FrameGraph, picture: PicturePass, width: number, height: number): void {
    const target = this.#picture;
    target.width = width;
    target.height = height;
    target.picture = picture;
    for (const addition of this.#additions) {
      if (addition.stage !== 'picture') continue;
      const before = picture.target;
      if (!this.#add(graph, addition, target)) picture.target = before;
    }
  }

  /** Reports and removes the passes that threw in the frame. Called after the frame. */
  endFrame(): void {
    if (this.#failed.size === 0) return;
    for (const [{ name, failure }, addition] of this.#failed) {
      // A failed pass of another view may have removed the addition already.
      if (failure && !addition.isEnded)
        this.#fail(addition, `${failure.call}() of the pass "${name}"`, failure.error);
    }
    this.#failed.clear();
  }

  dispose(): void {
    for (const addition of this.#additions) this.#end(addition);
    this.#disposeEnded();
  }

  /** Adds a pass to the frame's graph. @returns false if the pass has failed */
  #add(graph: FrameGraph, addition: Addition, target: object): boolean {
    const pass = addition.passes.get(target) ?? this.#create(addition, target);
    return pass !== undefined && this.#addPass(graph, pass);
  }

  /** Adds a pass to the frame's graph. @returns false if the pass has failed */
  #addPass(graph: FrameGraph, pass: ModulePass): boolean {
    if (pass.failure) return false;
    try {
      graph.addPass(pass);
      return true;
    } catch {
      // `endFrame` reports the error.
      return false;
    }
  }

  #create(addition: Addition, target: object): ModulePass | undefined {
    let pass: ModulePass | undefined;
    try {
      this.#host.enter(() => {
        const made = addition.create(target as never);
        const suffix = target instanceof ViewTarget ? target.suffix : '';
        pass = new ModulePass(this.#passHost, made, suffix, (failed) => this.#failed.set(failed, addition));
      });
    } catch (error) {
      this.#fail(addition, `The function that creates a pass for the stage "${addition.stage}"`, error);
      return undefined;
    }
    if (pass) addition.passes.set(target, pass);
    return pass;
  }

  #fail(addition: Addition, subject: string, error: unknown): void {
    this.#end(addition);
    this.#host.report(addition.module, subject, error);
  }

  #end(addition: Addition): void {
    if (addition.isEnded) return;
    addition.isEnded = true;
    // Replace the list instead of changing it, because a loop may be iterating over it.
    this.#additions = this.#additions.filter((each) => each !== addition);
    for (const pass of addition.passes.values()) this.#ended.push(pass);
    addition.passes.clear();
  }

  #forgetViews(): void {
    for (const [state, view] of this.#views) {
      if (!state.isDisposed) continue;
      this.#views.delete(state);
      this.#endPassesOf(view);
    }
  }

  #endPassesOf(view: ViewTarget): void {
    for (const addition of this.#additions) {
      const pass = addition.passes.get(view);
      if (pass) this.#ended.push(pass);
      addition.passes.delete(view);
    }
  }

  #disposeEnded(): void {
    for (const pass of this.#ended.splice(0)) pass.dispose();
  }
}
