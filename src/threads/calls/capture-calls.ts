/** Implements the control calls for captures and for the flight recorder on a thread. */
import { renderCommands } from '../../proxy/command-table.js';
import { FlightRecorder } from '../../rhi/capture/flight-recorder.js';
import { RhiCapture } from '../../rhi/capture/rhi-capture.js';
import type { CaptureSource } from '../../rhi/capture/stream-recorder.js';
import type { ThreadApi } from '../control/protocol.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';
import { CommandLog } from './command-log.js';
import type { ThreadSides } from './thread-api.js';

type CaptureCalls = Pick<
  ThreadApi,
  'startCapture' | 'stopCapture' | 'startRecording' | 'takeRenderCommands' | 'writeRecording'
>;

export function createCaptureCalls(thread: ThreadSides): CaptureCalls {
  let capture: RhiCapture | null = null;
  let recorder: FlightRecorder | null = null;
  let log: CommandLog | null = null;
  const source = ({ capabilities, gpuBackend, reader }: RhiSide): CaptureSource =>
    gpuBackend ? { capabilities, gpuBackend } : { capabilities, reader };
  return {
    async startCapture() {
      if (!thread.rhi) return;
      capture ??= new RhiCapture(source(thread.rhi));
      capture.start();
    },
    async stopCapture() {
      const running = capture;
      capture = null;
      try {
        return (await running?.stop()) ?? null;
      } finally {
        running?.dispose();
      }
    },
    async startRecording(framesPerKeyframe) {
      const { render, rhi } = thread;
      if (render) log ??= new CommandLog(render.reader, 2 * framesPerKeyframe);
      if (rhi)
        recorder ??= new FlightRecorder(source(rhi), {
          framesPerKeyframe,
          renderCommandNames: renderCommands.names,
        });
    },
    takeRenderCommands: async () => log?.take() ?? null,
    async writeRecording(words) {
      if (words) recorder?.addRenderCommands(words);
      return (await recorder?.write()) ?? null;
    },
  };
}
