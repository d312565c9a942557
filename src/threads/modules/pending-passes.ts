import { GraphError } from '../../core/errors.js';
import type { LoadedModule } from './loaded-module.js';
import type { ModulePasses, ModulePassesHost } from './module-passes.js';
import type { PassStage, RenderPass } from './render-graph-api.js';

export type PassesHost = Omit<ModulePassesHost, 'graph' | 'rhi' | 'scene'>;
export type CreatePass = (target: never) => RenderPass;

const STAGES: readonly PassStage[] = ['frame', 'view', 'picture'];

interface PendingPass {
  readonly module: LoadedModule;
  readonly stage: PassStage;
  readonly create: CreatePass;
  isEnded: boolean;
  /** Once it was added. */
  end: (() => void) | undefined;
}

/** Passes of modules, whose code comes with the first of them; until then they are kept here. */
export class PendingPasses {
  /** Once their code is there. */
  passes: ModulePasses | undefined;
  #pending: PendingPass[] = [];
  #loading: Promise<void> | undefined;
  readonly #load: () => Promise<ModulePasses>;

  constructor(load: () => Promise<ModulePasses>) {
    this.#load = load;
  }

  /** @returns a function that removes it. @throws GraphError `graph-pass-invalid` */
  add(module: LoadedModule, stage: PassStage, create: CreatePass): () => void {
    if (!STAGES.includes(stage) || typeof create !== 'function') {
      throw new GraphError(
        'graph-pass-invalid',
        `The render module "${module.load.name}" added a pass for the stage ${JSON.stringify(stage)}, made by ${typeof create}. Stages are ${STAGES.join(', ')}, and a function makes the pass.`,
      );
    }
    if (this.passes) return this.passes.add(module, stage, create);
    const pass: PendingPass = { module, stage, create, isEnded: false, end: undefined };
    this.#pending.push(pass);
    return () => {
      pass.isEnded = true;
      pass.end?.();
    };
  }

  /** Whether some wait for their code. */
  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Resolves when what was added so far is part of the next frame. Rejects where the code can't be had. */
  whenAdded(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve();
    this.#loading ??= this.#addPending().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #addPending(): Promise<void> {
    const passes = await this.#load();
    this.passes = passes;
    for (const pass of this.#pending.splice(0)) {
      const { module, stage, create, isEnded } = pass;
      if (!isEnded && !module.isRemoved) pass.end = passes.add(module, stage, create);
    }
  }
}
