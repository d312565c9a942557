/**
 * The part for render modules, loaded with the first of them: on the render thread, and on the RHI's where that is another.
 * A module may record any command, so the code of all is there before the first one comes; that of draw bundles comes with
 * the first module that adds passes.
 */
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import type { ModulePasses } from '../modules/module-passes.js';
import type { PassesHost } from '../modules/pending-passes.js';
import { RenderModules } from '../modules/render-modules.js';
import { localRhiPoints, remoteRhiPoints, serveRhiPoints } from '../rhi-worker/rhi-points.js';
import type { RhiSide } from '../rhi-worker/rhi-side.js';

export function createCalls(thread: ThreadSides): Pick<ThreadApi, 'connectModules' | 'serveRhiPoints'> {
  const { roles } = thread;
  return {
    async connectModules(config, port) {
      const { render, rhi } = thread;
      if (!render) return;
      await rhi?.parts?.loadSeldom();
      const points = port ? remoteRhiPoints(port) : localRhiPoints(rhi as RhiSide);
      const { renderer, surfaceFormat, loadPart } = render;
      const createPasses = async (host: PassesHost): Promise<ModulePasses> => {
        const [graph, bundles] = await Promise.all([loadPart('graph'), loadPart('bundles')]);
        render.rhi.bundleRecorder = bundles.recordBundle;
        return graph.createPasses(render, host);
      };
      render.thread.parts.attach(
        'modules',
        new RenderModules(config, {
          renderer,
          points,
          roles,
          surfaceFormat,
          fences: () => thread.fences,
          createPasses,
        }),
      );
    },
    async serveRhiPoints(port) {
      const { rhi } = thread;
      if (!rhi) return;
      await rhi.parts?.loadSeldom();
      serveRhiPoints(rhi, port);
    },
  };
}
