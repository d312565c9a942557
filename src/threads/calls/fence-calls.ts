/**
 * Implements the control calls that connect the engine's threads to fences of the page. These threads are the
 * render thread, and the RHI thread if it is a separate one.
 */
import { errorToData } from '../../core/errors.js';
import { type Fences, joinFences } from '../../sync/fences/fences.js';
import type { FencesConfig, FencesNotice } from '../control/fence-messages.js';
import type { ThreadApi } from '../control/protocol.js';
import { QueueFences } from '../fences/queue-fences.js';
import { RenderFences } from '../fences/render-fences.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';
import type { ThreadSides } from './thread-api.js';

export function createFenceCalls(thread: ThreadSides): Pick<ThreadApi, 'connectFences' | 'serveFences'> {
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
      const fences = join(config);
      const queue = rhiPort ?? new QueueFences(fences, rhi as RhiSide, config.progress);
      const { rhi: context } = render;
      const { onError: onLoss } = thread;
      thread.fences = new RenderFences({ fences, rhi: context, port: config.port, queue, onLoss });
      render.thread.features.attach('fences', thread.fences);
    },
    async serveFences(config, renderPort) {
      const { rhi } = thread;
      if (!rhi) return;
      new QueueFences(join(config), rhi, config.progress).serve(renderPort, thread.onError);
    },
  };
}
