/**
 * The other end of what is asked of threads beside the frames (`worker-control.ts`): events, captures, the flight recorder,
 * render modules. In `single` mode the calls are made directly.
 *
 *   main ── openControl ──► worker ── import(features) ──► serve(sides, port) ◄── comlink ── main
 */
import { expose, transfer } from 'comlink';
import { errorToData } from '../../core/errors.js';
import { readEvents } from '../../core/event-reader.js';
import type { EventRing } from '../../core/event-ring.js';
import { renderCommands } from '../../proxy/commands.js';
import { FlightRecorder } from '../../rhi/capture/flight-recorder.js';
import { RhiCapture } from '../../rhi/capture/rhi-capture.js';
import type { CaptureSource } from '../../rhi/capture/stream-recorder.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { ModulesConfig } from '../modules/render-module-messages.js';
import { RenderModules } from '../modules/render-modules.js';
import type { RenderSide } from '../render-worker/render-side.js';
import { localRhiPoints, remoteRhiPoints, serveRhiPoints } from '../rhi-worker/rhi-points.js';
import type { RhiSide } from '../rhi-worker/rhi-side.js';
import { CommandLog } from './command-log.js';
import type { Answer, WorkerApi } from './messages.js';

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
