/**
 * Implements the control calls that prepare the engine's threads for render modules: the render thread, and the RHI
 * thread if it is a separate one.
 */
import { ModulePasses } from '../../render-modules/render/module-passes.js';
import { RenderModules } from '../../render-modules/render/render-modules.js';
import type { ThreadApi } from '../control/protocol.js';
import { localRhiPoints, remoteRhiPoints, serveRhiPoints } from '../rhi-side/rhi-points.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';
import type { ThreadSides } from './thread-api.js';

export function createModuleCalls(thread: ThreadSides): Pick<ThreadApi, 'connectModules' | 'serveRhiPoints'> {
  const { roles } = thread;
  return {
    async connectModules(config, port) {
      const { render, rhi } = thread;
      if (!render) return;
      const points = port ? remoteRhiPoints(port, thread.onError) : localRhiPoints(rhi as RhiSide);
      const { renderer, surfaceFormat } = render;
      const modules = new RenderModules(config, {
        renderer,
        points,
        roles,
        surfaceFormat,
        fences: () => thread.fences,
        createPasses: (host) => {
          const { graph, rhi, scene, features } = renderer;
          const passes = new ModulePasses({ ...host, graph, rhi, scene });
          features.passes = passes;
          return passes;
        },
      });
      render.thread.features.attach('modules', modules);
    },
    async serveRhiPoints(port) {
      if (thread.rhi) serveRhiPoints(thread.rhi, port, thread.onError);
    },
  };
}
