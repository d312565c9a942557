import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderStream } from '../../proxy/commands.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import { createThreadApi, type ThreadSides } from '../calls/thread-api.js';
import * as tools from '../calls/worker-tools-module.js';
import { emptyStats } from '../control/frame-stats.js';
import { LocalPeer, PeerControl } from '../control/thread-control.js';
import { threadOptions } from '../control/thread-options.js';
import { startRenderSide } from '../render-side/render-side.js';
import { bypassTo } from '../rhi-side/bypass-to.js';
import { openRhi, startRhiSide } from '../rhi-side/rhi-side.js';
import { type CanvasSource, type Connect, checkRequired, takeContext } from './connection.js';

/** The tools are part of this file, because the page has no worker to load them. */
const loadTools = async (): Promise<typeof tools> => tools;

/**
 * Starts `single` mode: the same pipeline, with both ends of every stream on the main thread. The module is loaded only
 * for this mode, so that other modes do not load the renderer on the main thread.
 */
export const connectSingleThread: Connect = async (surface, resolved, events) => {
  const options = threadOptions(resolved);
  // Open the device before taking the canvas. Without an adapter, Firefox returns no context either, and the error
  // would blame the canvas.
  const rhiHardware = await openRhi(options, loadTools);
  const checkGraph = options.checksGraph ? (await loadTools()).checkGraph : null;
  const canvas = options.backend === 'null' ? null : takeCanvas(surface, rhiHardware.device);
  const stats = emptyStats();
  const shared = {
    options,
    stats,
    events: events.ring,
    onError: (error: unknown) => events.onError(error),
    onFrame: () => {},
  };

  const rhiStream = createLocalStream({ table: rhiCommands });
  const rhiSide = startRhiSide(rhiHardware, rhiStream.reader, {
    ...shared,
    surface: canvas,
    onReadback: (request, bytes) => events.onReadback(request, bytes),
    onTrace: (lines) => events.onTrace(lines),
  });
  const commandStream = createLocalStream({ table: renderStream });
  const renderSide = startRenderSide({
    ...shared,
    reader: commandStream.reader,
    rhiWriter: rhiStream.writer,
    bypass: bypassTo(rhiSide, rhiStream.writer, options, rhiHardware.tools),
    capabilities: rhiHardware.capabilities,
    checkGraph,
    completed: rhiSide.executor.completedFrames,
  });
  const { onError } = shared;
  const sides = { render: renderSide, rhi: rhiSide };
  const thread: ThreadSides = { ...sides, events: events.ring, roles: events.roles, onError };
  const started = Promise.resolve(rhiHardware.capabilities).then((found) => checkRequired(found, resolved));
  started.catch(() => {}); // The caller that awaits `started` handles the error.
  const control = new PeerControl([new LocalPeer(createThreadApi(thread, loadTools))]);
  return {
    writer: commandStream.writer,
    rendered: renderSide.rendered,
    submitted: rhiSide.frames.submitted,
    completed: rhiSide.frames.completed,
    started,
    capabilities: rhiHardware.capabilities,
    stats,
    control,
    lastEvent: () => undefined,
    workers: {},
    takeCanvas: () => {},
    end: () => {
      renderSide.stop();
      thread.helpers?.close();
      void rhiSide.shutDown();
    },
  };
};

/** Takes the canvas. @throws PlatformError `canvas-in-use`, after the device was destroyed */
function takeCanvas(surface: CanvasSource, device: GPUDevice | null): HTMLCanvasElement {
  try {
    return surface.take(takeContext);
  } catch (error) {
    device?.destroy();
    throw error;
  }
}
