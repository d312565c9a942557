/**
 * Entry point of the engine's workers. One script serves every role (`messages.ts`): render and RHI together,
 * or one of them. It must stay one file without chunks and without top-level await, because bundlers of
 * consumers lose nested chunks of workers; `worker-features.js` it loads by the address that it is given.
 *
 *   main ── commandPort ──► render side ── local stream, or rhiPort ──► RHI side ──► canvas
 *        ◄─ mainFencePort: rendered …            …  submitted, completed ─┘
 *        ◄─ noticePort: started, errors, read-backs, statistics
 */
import { type ErrorData, errorToData, ThreadError } from '../core/errors.js';
import { EventRing } from '../core/event-ring.js';
import { connectStreamReader, connectStreamWriter, createLocalStream } from '../core/page-stream.js';
import type { StreamReader, StreamWriter } from '../core/stream.js';
import type { StreamTable } from '../core/stream-overrun.js';
import { renderCommands } from '../proxy/commands.js';
import { rhiCommands } from '../rhi/commands/commands.js';
import type { RhiCapabilities } from '../rhi/commands/descriptors.js';
import { watchAttachments } from '../sync/attachment-watch.js';
import { Fence } from '../sync/fence.js';
import { receiveFences, sendFences } from '../sync/fence-link.js';
import type { Features } from './control/features.js';
import { FRAME_STAT_COUNT, RHI_STATS_BEGIN } from './control/frame-stats.js';
import {
  type BasicCall,
  type Notice,
  WORKER_PARTS,
  type WorkerCanvas,
  type WorkerConfig,
  type WorkerPart,
  type WorkerRequest,
} from './control/messages.js';
import { type RenderSide, startRenderSide } from './render-worker/render-side.js';
import { type OpenRhi, openRhi, type RhiSide, startRhiSide } from './rhi-worker/rhi-side.js';

type Notify = (notice: Notice, transferred?: Transferable[]) => void;

let rhiSide: RhiSide | null = null;
let renderSide: RenderSide | null = null;

let config: WorkerConfig;
/** Of the connection that was heard last: it is the one that asks. */
let answerPort: MessagePort;
/** Of this thread. */
let ring: EventRing;
/** Kept from one configuration to the next: the canvas for ever, the device until it is lost. */
let canvas: OffscreenCanvas | null = null;
let device: OpenRhi | null = null;
let receiveCanvas: (canvas: OffscreenCanvas) => void;
/** One configuration after the other. */
let turn = Promise.resolve();

const notify: Notify = (notice, transferred = []) => config.noticePort.postMessage(notice, transferred);

/**
 * Loads a file of what few pages need, once; a failed fetch is tried again. The address stands in a template, because
 * Vite's development server would otherwise put its client, which is meant for pages, into the worker.
 */
async function loadPart<T>(part: WorkerPart): Promise<T> {
  const scope = globalThis as unknown as Record<symbol, T | undefined>;
  const name = Symbol.for(WORKER_PARTS[part]);
  const url = config.partUrls[part];
  let cause: unknown;
  if (!scope[name])
    await import(/* @vite-ignore */ `${url}`).catch((error: unknown) => {
      cause = error;
    });
  const loaded = scope[name];
  if (loaded) return loaded;
  const what = url || `worker-${part}.js`;
  throw new ThreadError('features-missing', `${what} can't be loaded. Serve it beside worker.js.`, { cause });
}

const loadFeatures = (): Promise<Features> => loadPart('features');

const calls: Readonly<Record<BasicCall, () => unknown>> = {
  isAlive: () => true,
  purge: () => rhiSide?.executor.purge(),
  async shutDown() {
    renderSide?.shutDown();
    // The renderer's destroys are in the RHI stream; they are executed before the RHI reports what is left.
    await Promise.resolve();
    return (await rhiSide?.shutDown()) ?? { leaks: [] };
  },
  loseDevice: () => device?.device?.destroy(),
  measureGpu: () => rhiSide?.measureGpu(),
  async openControl() {
    const { controlPort } = config;
    const { serve } = await loadFeatures();
    serve(() => ({ render: renderSide, rhi: rhiSide, events: ring }), controlPort);
  },
};

self.onmessage = async ({ data }: MessageEvent<WorkerConfig | WorkerCanvas | WorkerRequest>) => {
  if ('canvas' in data) return receiveCanvas(data.canvas);
  if ('role' in data) {
    answerPort = data.noticePort;
    turn = turn.then(() => configure(data));
    return;
  }
  const { id, call } = data;
  // Every connection counts its calls from 0: an answer that takes long must not reach the next one.
  const port = answerPort;
  const answer = (what: { value: unknown } | { error: ErrorData }): void =>
    port.postMessage({ kind: 'answer', id, ...what } satisfies Notice);
  try {
    answer({ value: await calls[call]() });
  } catch (error) {
    answer({ error: errorToData(error) });
  }
};

async function configure(next: WorkerConfig): Promise<void> {
  config = next;
  ring = new EventRing(next.sharedEvents ?? undefined);
  try {
    renderSide?.stop();
    await rhiSide?.shutDown(true);
    renderSide = rhiSide = null;
    notify({ kind: 'started', capabilities: await start() });
  } catch (error) {
    notify({ kind: 'not-started', error: errorToData(error) });
  }
}

async function start(): Promise<RhiCapabilities> {
  const { role, shared } = config;
  const stats = new Float64Array(config.sharedStats ?? new ArrayBuffer(FRAME_STAT_COUNT * 8));
  const events = {
    stats,
    events: ring,
    onError: (error: unknown): void => notify({ kind: 'error', error: errorToData(error) }),
    onReadback: (request: number, bytes: ArrayBuffer): void =>
      notify({ kind: 'readback', request, bytes }, [bytes]),
  };
  /** The reading end of a stream from another thread. */
  const connectReader = (port: MessagePort, table: StreamTable): StreamReader => {
    const reader = connectStreamReader(port, { shared, table });
    const { reportSeconds, restartSeconds } = config;
    watchAttachments(reader, { reportSeconds, restartSeconds, onError: events.onError });
    return reader;
  };
  /** Per frame, not isolated: a copy of this thread's part of the statistics. */
  const statsPoster = (first: number, end: number) =>
    config.sharedStats
      ? (): void => {}
      : (): void => notify({ kind: 'stats', first, figures: stats.slice(first, end), last: ring.last });

  const startRhi = async (
    reader: StreamReader,
  ): Promise<{ side: RhiSide; capabilities: RhiCapabilities }> => {
    const { backend, validation } = config;
    if (!device) {
      const opened = await openRhi(backend, validation, loadFeatures);
      device = opened;
      opened.device?.lost.then(() => {
        device = null;
      });
    }
    const opened = device;
    if (config.awaitsCanvas) {
      const arrived = new Promise<OffscreenCanvas>((resolve) => {
        receiveCanvas = resolve;
      });
      notify({ kind: 'opened' });
      canvas = await arrived;
    }
    const side = startRhiSide(opened, reader, {
      ...events,
      validation,
      surface: canvas,
      maxFramesInFlight: config.maxFramesInFlight,
      onFrame: statsPoster(RHI_STATS_BEGIN, FRAME_STAT_COUNT),
    });
    rhiSide = side;
    return { side, capabilities: opened.capabilities };
  };

  const startRender = (
    rhiWriter: StreamWriter,
    completed: Fence,
    capabilities: RhiCapabilities,
  ): RenderSide => {
    const { commandPort, sampleCount, toneCurve, maxFramesInFlight } = config;
    const reader = connectReader(commandPort as MessagePort, renderCommands);
    renderSide = startRenderSide({
      ...events,
      reader,
      rhiWriter,
      capabilities,
      sampleCount,
      toneCurve,
      maxFramesInFlight,
      completed,
      onFrame: statsPoster(0, RHI_STATS_BEGIN),
      loadFeatures,
      loadImages: () => loadPart('images'),
    });
    return renderSide;
  };

  switch (role.kind) {
    case 'render+rhi': {
      const stream = createLocalStream({ table: rhiCommands });
      const { side, capabilities } = await startRhi(stream.reader);
      const { rendered } = startRender(stream.writer, side.executor.completed, capabilities);
      const { submitted, completed } = side.frames;
      sendFences(config.mainFencePort, [rendered, submitted, completed]);
      return capabilities;
    }
    case 'rhi': {
      const reader = connectReader(role.rhiPort, rhiCommands);
      const { side, capabilities } = await startRhi(reader);
      const { submitted, completed } = side.frames;
      sendFences(config.mainFencePort, [submitted, completed]);
      sendFences(role.fencePort, [side.executor.completed]);
      return capabilities;
    }
    case 'render': {
      const completed = new Fence('completed');
      receiveFences(role.fencePort, [completed]);
      const writer = connectStreamWriter(role.rhiPort, { shared, table: rhiCommands });
      const { rendered } = startRender(writer, completed, role.capabilities);
      sendFences(config.mainFencePort, [rendered]);
      return role.capabilities;
    }
  }
}
