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
  /** The page's fences, as soon as there are. */
  readonly fences?: () => RenderFences | undefined;
  /** In force on this thread; modules run in the role `render`. */
  readonly roles: ThreadRoles;
  readonly surfaceFormat: string;
  /** Creates the store of passes, with the first one. */
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
 * The render thread's end of render modules: code of the page's authors that this thread loads and runs (SYSTEMS R2, R8).
 * Part of `worker-tools.js`, created with the first module.
 *
 *   main   ── load ─────────────────► import, set up ── loaded: names of commands ──► main
 *   stream ── callModule 7 │ 8 │ 9 ─► handlers, in order, each sequence once
 *   each list that is recorded ─────► callbacks of onFrame, in order of registration
 *
 * A command counts as executed from the moment it begins: one that hangs the thread would otherwise hang the next one
 * as well. Nothing here throws into the render thread's loop; what modules throw is reported, and the rest goes on.
 */
export class RenderModules {
  readonly #host: RenderModulesHost;
  readonly #config: ModulesConfig;
  readonly #counter: Int32Array | null;
  /** By number, those that set themselves up included. */
  readonly #modules = new Map<number, LoadedModule>();
  readonly #readBacks: ModuleReadBacks;
  #passes: ModulePasses | undefined;
  readonly #apiHost: ModuleApiHost;
  /** In order of registration. */
  #callbacks: readonly Callback[] = [];
  #executed: number;
  #isAnnounced = true;
  #isStopped = false;
  /** Handlers and callbacks that are running, one inside the other. */
  #depth = 0;
  readonly #frame = { frame: 0, deltaSeconds: 0, timeSeconds: 0 };
  /** The list that is being recorded. */
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

  /** Imports a module and has it set itself up; the main thread is told how it went. Never rejects. */
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
    // Its set-up has failed after a restart: that was reported.
    if (!module) return;
    if (command === 0) {
      this.#forget(id);
      return;
    }
    const byteOffset = words.byteOffset + (at + 5) * 4;
    const bytes = new Uint8Array(words.buffer, byteOffset, words[at + 4] as number).slice();
    this.#see(header);
    const data = decodeData({ kind: words[at + 3] as number, bytes });
    this.#call(module, module.names[command - 1] as string, data);
  }

  /** Before each list is recorded. */
  beginList(header: FrameHeader): void {
    const { renderer, surfaceFormat } = this.#host;
    this.#see(header);
    this.#shownSeconds = header.timeSeconds;
    if (this.#callbacks.length) this.#enter(this.#callBack);
    Object.assign(this.#recorded, this.#frame);
    this.#frame.deltaSeconds = 0;
    header.readBack = this.#readBacks.begin(renderer, surfaceFormat);
  }

  /** Behind each list. */
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

  /** A command counts as executed; the main thread can tell, whatever becomes of this thread. */
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

  #see({ frame, timeSeconds }: FrameHeader): void {
    this.#frame.frame = frame;
    this.#frame.timeSeconds = timeSeconds;
    this.#frame.deltaSeconds = this.#shownSeconds < 0 ? 0 : Math.max(timeSeconds - this.#shownSeconds, 0);
  }

  #call(module: LoadedModule, name: string, data: unknown): void {
    const handler = module.handlers.get(name);
    const what = `The command "${name}"`;
    try {
      if (!handler) throw unknownCommand(module.load.name, name, module.names);
      const result = this.#enter(() => handler(data, this.#frame));
      if (result instanceof Promise) result.catch((error: unknown) => this.#report(module, what, error));
    } catch (error) {
      this.#report(module, what, error);
    }
  }

  /** Per frame. Made once, so that a frame allocates nothing for it. */
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
        `The render module "${module.load.name}" added a pass for the stage ${JSON.stringify(stage)}, made by ${typeof create}. Stages are ${STAGES.join(', ')}, and a function makes the pass.`,
      );
    }
    const ended = ' The pass is no part of frames any more.';
    this.#passes ??= createPasses({
      frame: this.#recorded,
      enter: (action) => this.#enter(action),
      report: (failed, what, error) => this.#report(failed, what, error, ended),
    });
    return this.#passes.add(module, stage, create);
  }

  #endCallback(callback: Callback): void {
    // Another list, so that one that is being gone through stays as it is.
    this.#callbacks = this.#callbacks.filter((each) => each !== callback);
  }

  /** Runs what a module does, as the render thread. */
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
        this.#report(module, 'An ending', error);
      }
    }
  }

  #report(module: LoadedModule, what: string, error: unknown, consequence = ''): void {
    const { name } = module.load;
    const reported =
      isTyped(error) && error.code === 'render-command-unknown'
        ? error
        : new ThreadError(
            'render-module-threw',
            `${what} of the render module "${name}" threw: ${messageOf(error).replace(/[^.!?]$/, '$&.')}${consequence}`,
            { cause: error },
          );
    if (error instanceof Error && error.stack) reported.stack = error.stack;
    this.#notify({ kind: 'thrown', error: errorToData(reported) });
  }

  #notify(notice: ModuleNotice, transferred: Transferable[] = []): void {
    this.#config.port.postMessage(notice, transferred);
  }
}
