import { createLocalStream } from '../../core/page-stream.js';
import { renderCommands } from '../../proxy/commands.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import { FRAME_STAT_COUNT } from '../control/frame-stats.js';
import { startRenderSide } from '../render-worker/render-side.js';
import { openRhi, startRhiSide } from '../rhi-worker/rhi-side.js';
import type { Connect, ThreadControl } from './connection.js';
import { lazily } from './lazily.js';

/**
 * `single` mode: the same pipeline with every stream's two ends on the main thread. The module is loaded only
 * when the mode is asked for, so that the other modes don't carry the renderer on the main thread.
 */
export const connectSingleThread: Connect = async (surface, options, events) => {
  const { maxFramesInFlight, sampleCount, toneCurve, backend } = options;
  const canvas = backend === 'null' ? null : surface.take();
  const loadFeatures = () => import('../control/features.js');
  const rhiHardware = await openRhi(backend, options.validation, loadFeatures);
  const stats = new Float64Array(FRAME_STAT_COUNT);
  const onFrame = (): void => {};

  const rhiStream = createLocalStream({ table: rhiCommands });
  const rhiSide = startRhiSide(rhiHardware, rhiStream.reader, {
    validation: options.validation,
    surface: canvas,
    maxFramesInFlight,
    stats,
    events: events.ring,
    onFrame,
    ...events,
  });

  const commandStream = createLocalStream({ table: renderCommands });
  const renderSide = startRenderSide({
    reader: commandStream.reader,
    rhiWriter: rhiStream.writer,
    capabilities: rhiHardware.capabilities,
    sampleCount,
    toneCurve,
    maxFramesInFlight,
    completed: rhiSide.executor.completed,
    stats,
    events: events.ring,
    onFrame,
    onError: events.onError,
    loadFeatures,
    loadImages: () => import('../render-worker/images.js'),
  });

  const asked = lazily(async () =>
    (await loadFeatures()).createControl(() => ({ render: renderSide, rhi: rhiSide, events: events.ring })),
  );
  const control: ThreadControl = {
    purge: async () => rhiSide.executor.purge(),
    measureGpu: () => rhiSide.measureGpu(),
    loseDevice: async () => rhiHardware.device?.destroy(),
    readEvents: async () => [], // the main thread has noted them all
    startCapture: async () => (await asked()).startCapture(),
    stopCapture: async () => (await asked()).stopCapture(),
    startRecording: async (frames) => (await asked()).startRecording(frames),
    writeRecording: async () => {
      const api = await asked();
      return api.writeRecording(await api.takeRenderCommands());
    },
    connectModules: async (config, roles) =>
      (await loadFeatures()).connectModules(renderSide, rhiSide, config, null, roles),
    shutDown: async () => {
      renderSide.shutDown();
      return rhiSide.shutDown();
    },
  };
  return {
    writer: commandStream.writer,
    rendered: renderSide.rendered,
    submitted: rhiSide.frames.submitted,
    completed: rhiSide.frames.completed,
    capabilities: rhiHardware.capabilities,
    stats,
    control: async () => control,
    lastEvent: () => undefined,
    workers: {},
    end: () => {
      renderSide.stop();
      rhiSide.shutDown();
    },
  };
};
