import { StateError, ThreadError } from '../../core/errors.js';
import type { CapturedFrame } from '../../proxy/unpack-capture.js';
import type { Scene } from '../../render/scene/scene.js';
import type { RenderFences } from '../../threads/fences/render-fences.js';
import type { RhiPoints } from '../../threads/rhi-side/rhi-points.js';
import type { PassStage, RenderGraph, RenderPass } from '../render-graph-api.js';
import type { RenderCommandHandler, RenderFrame, RenderModuleApi } from '../render-module-api.js';
import { unknownCommand } from '../render-module-messages.js';
import type { LoadedModule } from './loaded-module.js';
import { ModuleScene } from './render-module-scene.js';

/** Operations that the API of a module uses. */
export interface ModuleApiHost {
  readonly scene: Scene;
  readonly points: RhiPoints;
  /** Returns the page's fences; undefined before the first call of `engine.fences`. */
  fences(): RenderFences | undefined;
  /** Returns whether a synchronous call of a module is running: set-up, a handler, a callback or a pass. */
  isInside(): boolean;
  /** Returns whether such a call belongs to a frame: a handler, a frame callback or a pass. */
  isInFrame(): boolean;
  /** Returns the current role of the thread, for messages. */
  currentThread(): string;
  isStopped(): boolean;
  execute(module: LoadedModule, command: string, data: unknown): void;
  addCallback(module: LoadedModule, call: (frame: RenderFrame) => void): () => void;
  addPass(module: LoadedModule, stage: PassStage, create: (target: never) => RenderPass): () => void;
  post(module: LoadedModule, value: unknown, transferred: Transferable[]): void;
  readBack(): Promise<CapturedFrame>;
}

/** Creates the API of a render module. Each call throws once the module or its thread has ended. */
export function createModuleApi(module: LoadedModule, host: ModuleApiHost): RenderModuleApi {
  const { name, data, isRestored } = module.load;
  const { points } = host;
  const checkAlive = (call: string): void => {
    if (!module.isRemoved && !host.isStopped()) return;
    throw new StateError(
      'render-module-removed',
      `${call} of the render module "${name}" was called after the module was removed, or after other threads took over. Stop the module's work in onRemoved().`,
    );
  };
  const scene = new ModuleScene(host.scene, (call) => {
    checkAlive(call);
    if (host.isInside()) return;
    const current = host.currentThread();
    throw new ThreadError(
      'wrong-thread',
      `${call} of the render module "${name}" belongs to the thread "render", inside a synchronous call of the module: its set-up, a command, a frame callback or a pass. It was called on the thread "${current}"${current === 'render' ? ', between two such calls (after an await?)' : ''}. Store the values that you need, and use the scene in the next callback.`,
    );
  });
  const fencesFor = (call: string): RenderFences => {
    const fences = host.fences();
    if (fences) return fences;
    throw new StateError(
      'fences-not-connected',
      `${call} of the render module "${name}" was called before the page has called engine.fences(). Await engine.fences() on the page first, and send the module the result of a fence's share().`,
    );
  };
  return {
    data,
    isRestored,
    scene,
    graph: {
      addPass: (stage: PassStage, create: (target: never) => RenderPass) => {
        checkAlive('graph.addPass()');
        return host.addPass(module, stage, create);
      },
    } as RenderGraph,
    defineCommand: (command, handler) => {
      checkAlive('defineCommand()');
      if (!module.isSettingUp || module.handlers.has(command) || typeof handler !== 'function') {
        throw new StateError(
          'render-command-refused',
          `The render module "${name}" can't define the command "${command}". Each command is defined once, with a name and a function, during set-up.`,
        );
      }
      // The type of the data is not checked: it is a contract of the module and its page.
      module.handlers.set(command, handler as RenderCommandHandler);
    },
    onFrame: (call) => {
      checkAlive('onFrame()');
      return host.addCallback(module, call);
    },
    onRemoved: (callback) => {
      checkAlive('onRemoved()');
      module.endings.push(callback);
    },
    send: (command, value) => {
      checkAlive('send()');
      if (!module.handlers.has(command)) throw unknownCommand(name, command, [...module.handlers.keys()]);
      host.execute(module, command, value);
    },
    post: (value, transferred = []) => {
      checkAlive('post()');
      host.post(module, value, transferred);
    },
    openFence: async (descriptor) => {
      checkAlive('openFence()');
      const fences = fencesFor('openFence()');
      const fence = await fences.open(descriptor);
      const close = (): void => fences.close(fence);
      if (module.isRemoved) close();
      else module.endings.push(close);
      return fence;
    },
    signalFence: (fence, value) => {
      checkAlive('signalFence()');
      fencesFor('signalFence()').signal(fence, value, host.isInFrame());
    },
    waitFence: (fence, value) => {
      checkAlive('waitFence()');
      fencesFor('waitFence()').wait(fence, value);
    },
    readBack: async () => {
      checkAlive('readBack()');
      return host.readBack();
    },
    whenSubmitted: async (frame) => {
      checkAlive('whenSubmitted()');
      await points.whenReached('submitted', frame);
    },
    whenCompleted: async (frame) => {
      checkAlive('whenCompleted()');
      await points.whenReached('completed', frame);
    },
  };
}
