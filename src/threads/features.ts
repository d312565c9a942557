/**
 * What the threads behind the main thread do only when asked: their events and captures, validation, replayed passes, GPU
 * times, and the backend without a GPU. `single` mode imports this file; the workers load it as `worker-features.js` from the
 * address that the main thread gives them, and no page fetches it before it needs it.
 *
 *   main ── openControl ──► worker ── import(featuresUrl) ──► serve(api, port) ◄── comlink ── main
 */
import { expose, transfer } from 'comlink';
import { errorToData } from '../core/errors.js';
import { readEvents } from '../core/event-reader.js';
import type { EventRing } from '../core/event-ring.js';
import { renderCommands } from '../proxy/commands.js';
import { FlightRecorder } from '../rhi/capture/flight-recorder.js';
import { RhiCapture } from '../rhi/capture/rhi-capture.js';
import type { CaptureSource } from '../rhi/capture/stream-recorder.js';
import type { ExecutorOptions } from '../rhi/executor.js';
import { NullExecutor, nullCapabilities } from '../rhi/null/executor.js';
import { ThreadRoles } from '../rhi/thread-guard.js';
import { validate } from '../rhi/validation/validate.js';
import type { ExecutorParts } from '../rhi/webgpu/extension.js';
import { GpuTimer } from '../rhi/webgpu/gpu-timer.js';
import { PassBundles } from '../rhi/webgpu/pass-bundles.js';
import { CommandLog } from './command-log.js';
import { LateFrames, type LateFramesHost } from './late-frames.js';
import type { Answer, WorkerApi } from './messages.js';
import type { ModulesConfig } from './render-module-messages.js';
import { RenderModules } from './render-modules.js';
import type { RenderSide } from './render-side.js';
import { localRhiPoints, remoteRhiPoints, serveRhiPoints } from './rhi-points.js';
import type { RhiSide } from './rhi-side.js';

export { nullCapabilities, validate };

export type Features = typeof import('./features.js');

export const createNullExecutor = (options: ExecutorOptions): NullExecutor => new NullExecutor(options);
export const createLateFrames = (host: LateFramesHost): LateFrames => new LateFrames(host);
export const createGpuTimer = (parts: ExecutorParts): GpuTimer | null => GpuTimer.create(parts);
export const createPassBundles = (parts: ExecutorParts): PassBundles => new PassBundles(parts);

/** Opens the render thread for render modules. @param port to the RHI's thread; null where that is this one */
export function connectModules(
  { thread, renderer, surfaceFormat }: RenderSide,
  rhi: RhiSide | null,
  config: ModulesConfig,
  port: MessagePort | null,
  roles: ThreadRoles,
): void {
  const points = port ? remoteRhiPoints(port) : localRhiPoints(rhi as RhiSide);
  thread.modules = new RenderModules(config, { renderer, points, roles, surfaceFormat });
}

/** The sides that a thread has, as they start. */
export interface ThreadSides {
  readonly render: RenderSide | null;
  readonly rhi: RhiSide | null;
  /** Of the thread. */
  readonly events: EventRing;
}

/** Answers on a worker's control port. Errors go as data, because comlink keeps neither class nor code. */
export function serve(sides: () => ThreadSides, port: MessagePort): void {
  const answering = Object.entries(createControl(sides)).map(([name, call]) => [
    name,
    async (...parameters: never[]): Promise<Answer<unknown>> => {
      try {
        const value: unknown = await (call as (...parameters: never[]) => Promise<unknown>)(...parameters);
        // What is big is handed over, not copied.
        const buffer = ArrayBuffer.isView(value) ? value.buffer : value;
        return transfer({ value }, buffer instanceof ArrayBuffer ? [buffer] : []);
      } catch (error) {
        return { error: errorToData(error) };
      }
    },
  ]);
  expose(Object.fromEntries(answering), port);
}

/** The calls of the control plane, on the sides that this thread has; null where a call is not this thread's. */
export function createControl(sides: () => ThreadSides): WorkerApi {
  let capture: RhiCapture | null = null;
  let recorder: FlightRecorder | null = null;
  let log: CommandLog | null = null;
  const source = ({ capabilities, parts, reader }: RhiSide): CaptureSource =>
    parts ? { capabilities, parts } : { capabilities, reader };
  return {
    readEvents: async (place) => readEvents(sides().events.buffer, place),
    async startCapture() {
      const { rhi } = sides();
      if (!rhi) return;
      capture ??= new RhiCapture(source(rhi));
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
      const { render, rhi } = sides();
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
    async connectModules(config, port) {
      const { render, rhi } = sides();
      if (render) connectModules(render, rhi, config, port, new ThreadRoles('render'));
    },
    async serveRhiPoints(port) {
      const { rhi } = sides();
      if (rhi) serveRhiPoints(rhi, port);
    },
  };
}
