/** The part for the page's fences, loaded with `engine.fences`: on the render thread, and on the RHI's where that is another. */
import { errorToData } from '../../core/errors.js';
import { type Fences, joinFences } from '../../sync/monitored/fences.js';
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import type { FencesConfig, FencesNotice } from '../fences/fence-messages.js';
import { QueueFences } from '../fences/queue-fences.js';
import { RenderFences } from '../fences/render-fences.js';
import type { RhiSide } from '../rhi-worker/rhi-side.js';

export function createCalls(thread: ThreadSides): Pick<ThreadApi, 'connectFences' | 'serveFences'> {
  const join = ({ invitation, name, port }: FencesConfig): Fences =>
    joinFences(invitation, {
      name,
      onError: (error) => {
        const notice: FencesNotice = { kind: 'error', error: errorToData(error) };
        port.postMessage(notice);
      },
    });
  return {
    async connectFences(config, rhiPort) {
      const { render, rhi } = thread;
      if (!render) return;
      await rhi?.parts?.loadSeldom();
      const fences = join(config);
      const queue = rhiPort ?? new QueueFences(fences, rhi as RhiSide);
      thread.fences = new RenderFences({ fences, rhi: render.rhi, port: config.port, queue });
      render.thread.parts.attach('fences', thread.fences);
    },
    async serveFences(config, renderPort) {
      const { rhi } = thread;
      if (!rhi) return;
      await rhi.parts?.loadSeldom();
      new QueueFences(join(config), rhi).serve(renderPort);
    },
  };
}
