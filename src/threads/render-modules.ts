import { errorToData, isTyped, messageOf, StateError, ThreadError } from '../core/errors.js';
import type { StreamReader } from '../core/stream.js';
import type { Renderer } from '../render/renderer.js';
import type { ThreadRoles } from '../rhi/thread-guard.js';
import { type CapturedFrame, unpackCapture } from './capture.js';
import type { RenderFrame, RenderModuleApi, RenderModuleSetUp, RenderScene } from './render-module-api.js';
import {
  decodeData,
  FIRST_MODULE_READBACK,
  type LoadModule,
  type ModuleNotice,
  type ModulesConfig,
} from './render-module-messages.js';
import { ModuleScene } from './render-module-scene.js';
import type { FrameHeader } from './render-thread.js';
import { type RhiPoints, renderThreadEnded } from './rhi-points.js';
import { unknownCommand } from './unknown-command.js';

/**
 * The render thread's end of render modules: code of the page's authors that this thread loads and runs (SYSTEMS R2, R8).
 * Part of `worker-features.js`, made with the first module.
 *
 *   main   ── load ─────────────────► import, set up ── loaded: names of commands ──► main
 *   stream ── callModule 7 │ 8 │ 9 ─► handlers, in order, each sequence once
 *   each list that is recorded ─────► callbacks of onFrame, in order of registration
 *
 * A command counts as executed from the moment it begins: one that hangs the thread would otherwise hang the next one
 * as well. Nothing here throws into the render thread's loop; what modules throw is reported, and the rest goes on.
 */
export interface RenderModulesHost {
  readonly renderer: Renderer;
  readonly points: RhiPoints;
  /** In force on this thread; modules run in the role `render`. */
  readonly roles: ThreadRoles;
  readonly surfaceFormat: string;
  readonly import?: (url: string) => Promise<{ readonly default?: unknown }>;
}

const importModule = (url: string): Promise<{ readonly default?: unknown }> =>
  import(/* @vite-ignore */ `${url}`);

interface Callback {
  readonly module: LoadedModule;
  readonly call: (frame: RenderFrame) => void;
}

interface ReadBack {
  readonly resolve: (frame: CapturedFrame | PromiseLike<CapturedFrame>) => void;
  readonly reject: (error: Error) => void;
}

export class RenderModules {
  readonly #host: RenderModulesHost;
  readonly #config: ModulesConfig;
  readonly #counter: Int32Array | null;
  readonly #modules = new Map<number, LoadedModule>();
  /** In order of registration. */
  #callbacks: readonly Callback[] = [];
  /** Asked since the last frame. */
  #readBacks: ReadBack[] = [];
  #requests = 0;
  #executed: number;
  #isAnnounced = true;
  #isStopped = false;
  /** Handlers and callbacks that are running, one inside the other. */
  #depth = 0;
  readonly #frame = { frame: 0, deltaSeconds: 0, timeSeconds: 0 };
  #shownSeconds = -1;

  constructor(config: ModulesConfig, host: RenderModulesHost) {
    this.#config = config;
    this.#host = host;
    this.#counter = config.counter && new Int32Array(config.counter);
    this.#executed = config.executed;
    config.port.onmessage = ({ data }: MessageEvent<LoadModule>) => {
      this.load(data);
    };
  }

  /** Imports a module and has it set itself up; the main thread is told how it went. */
  async load(load: LoadModule): Promise<void> {
    const { module: id, name, url } = load;
    const module = new LoadedModule(load);
    try {
      const { default: setUp } = await (this.#host.import ?? importModule)(url);
      if (typeof setUp !== 'function') {
        throw new StateError(
          'render-module-invalid',
          `The render module "${name}" has no function as its default export. Write: export default (api) => { … }`,
        );
      }
      if (this.#isStopped) return;
      await this.#run(module, () => (setUp as RenderModuleSetUp)(this.#apiOf(module)));
      module.isSettingUp = false;
      this.#modules.set(id, module);
      this.#notify({ kind: 'loaded', module: id, commands: module.names });
    } catch (error) {
      this.#remove(module);
      const failure = isTyped(error)
        ? error
        : new ThreadError(
            'render-module-failed',
            `The render module "${name}" (${url}) can't be used: ${messageOf(error)}`,
          );
      this.#notify({ kind: 'failed', module: id, error: errorToData(failure) });
    }
  }

  /** Executes `callModule`. */
  execute(reader: StreamReader, header: FrameHeader): void {
    const { words, fields: at } = reader;
    const sequence = words[at + 2] as number;
    if (sequence <= this.#executed) return;
    this.#begin(sequence);
    const module = this.#modules.get(words[at] as number);
    const command = words[at + 1] as number;
    // Its set-up has failed after a restart: that was reported.
    if (!module) return;
    if (command === 0) {
      this.#modules.delete(module.load.module);
      this.#remove(module);
      return;
    }
    const byteOffset = words.byteOffset + (at + 5) * 4;
    const bytes = new Uint8Array(words.buffer, byteOffset, words[at + 4] as number).slice();
    this.#see(header);
    const data = decodeData({ kind: words[at + 3] as number, bytes });
    this.#call(module, module.names[command - 1] as string, data);
  }

  /** Before each list is recorded. */
  beginFrame(header: FrameHeader): void {
    this.#see(header);
    this.#shownSeconds = header.timeSeconds;
    for (const callback of this.#callbacks) {
      const { module, call } = callback;
      if (module.isRemoved) continue;
      try {
        this.#enter(() => call(this.#frame));
      } catch (error) {
        this.#end(callback);
        this.#report(module, 'A frame callback', error, ' It is not called any more.');
      }
    }
    this.#frame.deltaSeconds = 0;
    header.readBack = this.#beginReadBack();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const module of this.#modules.values()) this.#remove(module);
    for (const { reject } of this.#readBacks) reject(renderThreadEnded());
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

  /** Runs what a module does, as the render thread. */
  #enter<T>(action: () => T): T {
    this.#depth++;
    try {
      return this.#host.roles.run('render', action);
    } finally {
      this.#depth--;
    }
  }

  async #run(module: LoadedModule, setUp: () => unknown): Promise<void> {
    module.isSettingUp = true;
    await this.#enter(setUp);
  }

  #apiOf(module: LoadedModule): RenderModuleApi {
    const { name, data, isRestored } = module.load;
    const alive = (call: string): void => {
      if (!module.isRemoved && !this.#isStopped) return;
      throw new StateError(
        'render-module-removed',
        `${call} of the render module "${name}" came after the module was removed, or after other threads took over. End what it does in onRemoved().`,
      );
    };
    const scene: RenderScene = new ModuleScene(this.#host.renderer.scene, (call) => {
      alive(call);
      if (this.#depth > 0) return;
      const { current } = this.#host.roles;
      throw new ThreadError(
        'wrong-thread',
        `${call} of the render module "${name}" belongs to the thread "render", inside a command or a frame callback. It was called on the thread "${current}"${current === 'render' ? ', between two of them (after an await?)' : ''}. Keep what you need, and use the scene in the next callback.`,
      );
    });
    return {
      data,
      isRestored,
      scene,
      defineCommand: (command, handler) => {
        alive('defineCommand()');
        if (!module.isSettingUp || module.handlers.has(command) || typeof handler !== 'function') {
          throw new StateError(
            'render-command-refused',
            `The render module "${name}" can't define the command "${command}": each is defined once, by name and function, during set-up.`,
          );
        }
        module.handlers.set(command, handler);
      },
      onFrame: (call) => {
        alive('onFrame()');
        const callback = { module, call };
        this.#callbacks = [...this.#callbacks, callback];
        return () => this.#end(callback);
      },
      onRemoved: (callback) => {
        alive('onRemoved()');
        module.endings.push(callback);
      },
      send: (command, value) => {
        alive('send()');
        if (!module.handlers.has(command)) throw unknownCommand(name, command, module.names);
        this.#call(module, command, value);
      },
      post: (value, transferred = []) => {
        alive('post()');
        this.#notify({ kind: 'posted', module: module.load.module, value }, transferred);
      },
      readBack: async () => {
        alive('readBack()');
        return new Promise<CapturedFrame>((resolve, reject) => this.#readBacks.push({ resolve, reject }));
      },
      whenSubmitted: async (frame) => {
        alive('whenSubmitted()');
        await this.#host.points.whenReached('submitted', frame);
      },
      whenCompleted: async (frame) => {
        alive('whenCompleted()');
        await this.#host.points.whenReached('completed', frame);
      },
    };
  }

  /** The number under which the frame that is recorded now is read back; 0: nobody has asked. */
  #beginReadBack(): number {
    if (this.#readBacks.length === 0) return 0;
    const asked = this.#readBacks;
    this.#readBacks = [];
    const request = FIRST_MODULE_READBACK + (this.#requests++ % FIRST_MODULE_READBACK);
    const { points, renderer, surfaceFormat } = this.#host;
    const [width, height] = renderer.size;
    const picture = points
      .bytesOf(request)
      .then((bytes) => unpackCapture(bytes, width, height, surfaceFormat));
    for (const [index, { resolve }] of asked.entries()) {
      // Each gets one of its own.
      resolve(index === 0 ? picture : picture.then((frame) => ({ ...frame, data: frame.data.slice() })));
    }
    return request;
  }

  #end(callback: Callback): void {
    // Another list, so that one that is being gone through stays as it is.
    this.#callbacks = this.#callbacks.filter((each) => each !== callback);
  }

  #remove(module: LoadedModule): void {
    if (module.isRemoved) return;
    const { endings } = module;
    module.isRemoved = true;
    this.#callbacks = this.#callbacks.filter((each) => each.module !== module);
    for (const ending of endings) {
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
            `${what} of the render module "${name}" threw: ${messageOf(error)}${consequence}`,
            { cause: error },
          );
    if (error instanceof Error && error.stack) reported.stack = error.stack;
    this.#notify({ kind: 'thrown', error: errorToData(reported) });
  }

  #notify(notice: ModuleNotice, transferred: Transferable[] = []): void {
    this.#config.port.postMessage(notice, transferred);
  }
}

/** A module of which this thread has the code. */
class LoadedModule {
  readonly load: LoadModule;
  readonly handlers = new Map<string, Parameters<RenderModuleApi['defineCommand']>[1]>();
  readonly endings: (() => void)[] = [];
  isSettingUp = false;
  isRemoved = false;

  constructor(load: LoadModule) {
    this.load = load;
  }

  /** In the order of definition. */
  get names(): readonly string[] {
    return [...this.handlers.keys()];
  }
}
