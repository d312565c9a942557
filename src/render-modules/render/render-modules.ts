import { errorToData, GraphError, isTyped, messageOf, StateError, ThreadError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import type { StreamReader } from '../../core/streams/stream.js';
import type { Renderer } from '../../render/renderer.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { RenderFences } from '../../threads/fences/render-fences.js';
import { importByAddress } from '../../threads/library-files/import-by-address.js';
import type { FrameHeader } from '../../threads/render-side/render-thread.js';
import type { RhiPoints } from '../../threads/rhi-side/rhi-points.js';
import type { PassStage, RenderPass } from '../render-graph-api.js';
import type { RenderFrame, RenderModuleSetUp } from '../render-module-api.js';
import {
  decodeData,
  type ForgetModule,
  type LoadModule,
  type ModuleNotice,
  type ModulesConfig,
  unknownCommand,
} from '../render-module-messages.js';
import { createModuleApi, type ModuleApiHost } from './create-module-api.js';
import { LoadedModule } from './loaded-module.js';
import type { ModulePasses, ModulePassesHost } from './module-passes.js';
import { ModuleReadBacks } from './module-read-backs.js';

interface RenderModulesHost {
  readonly renderer: Renderer;
  readonly points: RhiPoints;
  /** Returns the page's fences; undefined until they are created. */
  readonly fences?: () => RenderFences | undefined;
  /** Roles of this thread. Modules run in the role `render`. */
  readonly roles: ThreadRoles;
  readonly surfaceFormat: string;
  /** Creates the store of passes, when the first pass is added. */
  readonly createPasses?: (host: PassesHost) => ModulePasses;
  readonly import?: (url: string) => Promise<{ readonly default?: unknown }>;
}

type PassesHost = Omit<ModulePassesHost, 'graph' | 'rhi' | 'scene'>;

const STAGES: readonly PassStage[] = ['frame', 'view', 'picture'];

interface Callback {
  readonly module: LoadedModule;
  readonly call: (frame: RenderFrame) => void;
}

/**
 * The render thread's end of render modules, which are code of the page that this thread loads and runs (SYSTEMS R2,
 * R8). It is part of `worker-tools.js`, and created with the first module.
 *
 *   main   ── load ─────────────────► import, set up ── loaded: names of commands ──► main
 *   stream ── callModule 7 │ 8 │ 9 ─► handlers, in order, each sequence once
 *   each recorded list ─────────────► callbacks of onFrame, in order of registration
 *
 * A command counts as executed once it has begun. Otherwise a command that hangs the thread would hang the next thread
 * as well. Errors of modules do not reach the render thread's loop: they are reported, and the frame continues.
 */
export class RenderModules {
  readonly #host: RenderModulesHost;
  readonly #config: ModulesConfig;
  readonly #counter: Int32Array | null;
  /** Modules by number, including modules whose set-up is running. */
  readonly #modules = new Map<number, LoadedModule>();
  readonly #readBacks: ModuleReadBacks;
  #passes: ModulePasses | undefined;
  readonly #apiHost: ModuleApiHost;
  /** Frame callbacks in order of registration. */
  #callbacks: readonly Callback[] = [];
  #executed: number;
  #isAnnounced = true;
  #isStopped = false;
  /** Nesting depth of the module's running calls: set-up, handlers, callbacks and passes. */
  #depth = 0;
  /** As `#depth`, without the calls that belong to no frame: set-up, and the callbacks of `onRemoved`. */
  #frameDepth = 0;
  readonly #frame = { frame: 0, deltaSeconds: 0, timeSeconds: 0 };
  /** The frame that is being recorded. */
  readonly #recorded = { frame: 0, deltaSeconds: 0, timeSeconds: 0 };
  #shownSeconds = -1;

  constructor(config: ModulesConfig, host: RenderModulesHost) {
    const { points, renderer, roles } = host;
    this.#config = config;
    this.#host = host;
    this.#counter = config.counter && new Int32Array(config.counter);
    this.#executed = config.executed;
    this.#readBacks = new ModuleReadBacks(points);
    this.#apiHost = {
      scene: renderer.scene,
      points,
      fences: () => host.fences?.(),
      isInside: () => this.#depth > 0,
      isInFrame: () => this.#frameDepth > 0,
      currentThread: () => roles.current,
      isStopped: () => this.#isStopped,
      execute: (module, command, data) => this.#call(module, command, data),
      addCallback: (module, call) => this.#addCallback(module, call),
      addPass: (module, stage, create) => this.#addPass(module, stage, create),
      post: (module, value, transferred) =>
        this.#notify({ kind: 'posted', module: module.load.module, value }, transferred),
      readBack: () => this.#readBacks.ask(),
    };
    config.port.onmessage = ({ data }: MessageEvent<LoadModule | ForgetModule>) => {
      if ('forgotten' in data) this.#forget(data.forgotten);
      else this.load(data);
    };
    const lose = (error: ThreadError): void => this.#notify({ kind: 'thrown', error: errorToData(error) });
    hearLosses(config.port, 'render modules, to the render thread', lose);
  }

  /** Imports a module, runs its set-up, and reports the result to the main thread. Never rejects. */
  async load(load: LoadModule): Promise<void> {
    const { module: id, name, url } = load;
    const module = new LoadedModule(load);
    this.#modules.set(id, module);
    try {
      const { default: setUp } = await (this.#host.import ?? importByAddress)(url);
      if (typeof setUp !== 'function') {
        throw new StateError(
          'render-module-invalid',
          `The render module "${name}" has no function as its default export. Write: export default (api) => { … }`,
        );
      }
      if (module.isRemoved) return;
      module.isSettingUp = true;
      const api = createModuleApi(module, this.#apiHost);
      await this.#enter(() => (setUp as RenderModuleSetUp)(api));
      module.isSettingUp = false;
      if (module.isRemoved) return;
      module.names = [...module.handlers.keys()];
      this.#notify({ kind: 'loaded', module: id, commands: module.names });
    } catch (error) {
      if (module.isRemoved) return;
      this.#forget(id);
      const failure = isTyped(error)
        ? error
        : new ThreadError(
            'render-module-failed',
            `The render module "${name}" (${url}) can't be used: ${messageOf(error)}`,
          );
      this.#notify({ kind: 'failed', module: id, error: errorToData(failure) });
    }
  }

  /** Executes `callModule`, once per sequence number. */
  execute(reader: StreamReader, header: FrameHeader): void {
    const { words, fields: at } = reader;
    const sequence = words[at + 2] as number;
    if (sequence <= this.#executed) return;
    this.#begin(sequence);
    const id = words[at] as number;
    const module = this.#modules.get(id);
    const command = words[at + 1] as number;
    // The module is missing if its set-up has failed after a restart. That failure was reported.
    if (!module) return;
    if (command === 0) {
      this.#forget(id);
      return;
    }
    const byteOffset = words.byteOffset + (at + 5) * 4;
    const bytes = new Uint8Array(words.buffer, byteOffset, words[at + 4] as number).slice();
    this.#updateFrame(header);
    const data = decodeData({ kind: words[at + 3] as number, bytes });
    this.#call(module, module.names[command - 1] as string, data);
  }

  /** Calls the frame callbacks, and begins a requested read-back. Called before each list is recorded. */
  beginList(header: FrameHeader): void {
    const { renderer, surfaceFormat } = this.#host;
    this.#updateFrame(header);
    this.#shownSeconds = header.timeSeconds;
    if (this.#callbacks.length) this.#enterFrame(this.#callBack);
    Object.assign(this.#recorded, this.#frame);
    this.#frame.deltaSeconds = 0;
    header.readBack = this.#readBacks.begin(renderer, surfaceFormat);
  }

  /** Removes failed passes. Called after each list. */
  endList(): void {
    this.#passes?.endFrame();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const id of this.#modules.keys()) this.#forget(id);
    this.#readBacks.end();
    this.#host.points.end();
    this.#config.port.close();
  }

  /** Marks a command as executed, so that the main thread knows it even if this thread dies. */
  #begin(sequence: number): void {
    this.#executed = sequence;
    if (this.#counter) {
      Atomics.store(this.#counter, 0, sequence);
      if (!this.#isAnnounced) return;
      this.#isAnnounced = false;
      queueMicrotask(() => {
        this.#isAnnounced = true;
        this.#notify({ kind: 'executed', sequence: this.#executed });
      });
    } else this.#notify({ kind: 'executed', sequence });
  }

  #updateFrame({ frame, timeSeconds }: FrameHeader): void {
    this.#frame.frame = frame;
    this.#frame.timeSeconds = timeSeconds;
    this.#frame.deltaSeconds = this.#shownSeconds < 0 ? 0 : Math.max(timeSeconds - this.#shownSeconds, 0);
  }

  #call(module: LoadedModule, name: string, data: unknown): void {
    const handler = module.handlers.get(name);
    const subject = `The command "${name}"`;
    try {
      if (!handler) throw unknownCommand(module.load.name, name, module.names);
      const result = this.#enterFrame(() => handler(data, this.#frame));
      if (result instanceof Promise) result.catch((error: unknown) => this.#report(module, subject, error));
    } catch (error) {
      this.#report(module, subject, error);
    }
  }

  /** Calls all frame callbacks. Per frame; created once, so that a frame allocates nothing for it. */
  readonly #callBack = (): void => {
    for (const callback of this.#callbacks) {
      const { module, call } = callback;
      if (module.isRemoved) continue;
      try {
        call(this.#frame);
      } catch (error) {
        this.#endCallback(callback);
        this.#report(module, 'A frame callback', error, ' It is not called any more.');
      }
    }
  };

  #addCallback(module: LoadedModule, call: (frame: RenderFrame) => void): () => void {
    const callback = { module, call };
    this.#callbacks = [...this.#callbacks, callback];
    return () => this.#endCallback(callback);
  }

  /** Returns a function that removes the pass. @throws GraphError `graph-pass-invalid` */
  #addPass(module: LoadedModule, stage: PassStage, create: (target: never) => RenderPass): () => void {
    const { createPasses } = this.#host;
    if (!createPasses || !STAGES.includes(stage) || typeof create !== 'function') {
      throw new GraphError(
        'graph-pass-invalid',
        `The render module "${module.load.name}" added a pass for the stage ${JSON.stringify(stage)}, created by ${typeof create}. Stages are ${STAGES.join(', ')}, and a function creates the pass.`,
      );
    }
    const ended = ' Later frames omit the pass.';
    this.#passes ??= createPasses({
      frame: this.#recorded,
      enter: (action) => this.#enterFrame(action),
      report: (failed, subject, error) => this.#report(failed, subject, error, ended),
    });
    return this.#passes.add(module, stage, create);
  }

  #endCallback(callback: Callback): void {
    // Replace the list instead of changing it, because a loop may be iterating over it.
    this.#callbacks = this.#callbacks.filter((each) => each !== callback);
  }

  /** As `#enter`, for code that belongs to a frame. */
  #enterFrame<T>(action: () => T): T {
    this.#frameDepth++;
    try {
      return this.#enter(action);
    } finally {
      this.#frameDepth--;
    }
  }

  /** Runs code of a module in the role of the render thread. */
  #enter<T>(action: () => T): T {
    this.#depth++;
    try {
      return this.#host.roles.run('render', action);
    } finally {
      this.#depth--;
    }
  }

  #forget(id: number): void {
    const module = this.#modules.get(id);
    if (!module) return;
    this.#modules.delete(id);
    module.isRemoved = true;
    this.#passes?.forget(module);
    this.#callbacks = this.#callbacks.filter((each) => each.module !== module);
    for (const ending of module.endings) {
      try {
        this.#enter(ending);
      } catch (error) {
        this.#report(module, 'A removal callback', error);
      }
    }
  }

  #report(module: LoadedModule, subject: string, error: unknown, consequence = ''): void {
    const { name } = module.load;
    const reported =
      isTyped(error) && error.code === 'render-command-unknown'
        ? error
        : new ThreadError(
            'render-module-threw',
            `${subject} of the render module "${name}" threw: ${messageOf(error).replace(/[^.!?]$/, '$&.')}${consequence}`,
            { cause: error },
          );
    if (error instanceof Error && error.stack) reported.stack = error.stack;
    this.#notify({ kind: 'thrown', error: errorToData(reported) });
  }

  #notify(notice: ModuleNotice, transferred: Transferable[] = []): void {
    this.#config.port.postMessage(notice, transferred);
  }
}
