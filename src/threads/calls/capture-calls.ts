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
  /** Stops counting the bytes of an ended capture. */
  const forget = (ended: RhiCapture): void => {
    const recordings = thread.rhi?.recordings ?? [];
    const index = recordings.indexOf(ended);
    if (index >= 0) recordings.splice(index, 1);
    // Purging writes the memory figures. A page that draws no frames would not write them otherwise.
    void thread.rhi?.purge(0);
  };
  return {
    async startCapture() {
      if (!thread.rhi) return;
      if (!capture) {
        capture = new RhiCapture(source(thread.rhi), { maximumBytes: thread.rhi.maximumCaptureBytes });
        thread.rhi.recordings.push(capture);
      }
      capture.start();
    },
    async stopCapture() {
      const running = capture;
      capture = null;
      try {
        return (await running?.stop()) ?? null;
      } finally {
        running?.dispose();
        if (running) forget(running);
      }
    },
    async startRecording(framesPerKeyframe) {
      const { render, rhi } = thread;
      if (render) log ??= new CommandLog(render.reader, 2 * framesPerKeyframe);
      if (!rhi || recorder) return;
      const renderCommandNames = renderCommands.names;
      recorder = new FlightRecorder(source(rhi), { framesPerKeyframe, renderCommandNames });
      rhi.recordings.push(recorder);
    },
    takeRenderCommands: async () => log?.take() ?? null,
    async writeRecording(words) {
      if (words) recorder?.addRenderCommands(words);
      return (await recorder?.write()) ?? null;
    },
  };
}
