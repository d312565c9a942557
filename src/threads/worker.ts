/**
 * Entry point of the engine's workers. One script serves every role (`protocol.ts`): render and RHI together,
 * or one of them. It must stay one file without chunks and without top-level await, because bundlers of
 * consumers lose nested chunks of workers. `worker-tools.js` is loaded on demand, from the address that the page sends.
 *
 *   main ── commandPort ──► render side ── local stream, or rhiPort ──► RHI side ──► canvas
 *        ◄─ mainFences: rendered …               …  submitted, completed ─┘
 *        ◄─ noticePort: started, errors, read-backs
 *        ◄► controlPort: ThreadApi
 */

import { BUILD, buildsDiffer } from '../core/build.js';
import { errorToData } from '../core/errors.js';
import { EventRing } from '../core/events/event-ring.js';
import { connectStreamReader, connectStreamWriter, createLocalStream } from '../core/streams/page-stream.js';
import { endWorker, hearLosses, streamMessageLost } from '../core/streams/port-messages.js';
import type { AttachmentReader, EndingReader, StreamReader, StreamWriter } from '../core/streams/stream.js';
import type { StreamTable } from '../core/streams/stream-overrun.js';
import { renderStream } from '../proxy/commands.js';
import { rhiCommands } from '../rhi/commands/commands.js';
import type { RhiCapabilities } from '../rhi/commands/descriptors.js';
import { ThreadRoles } from '../rhi/record/thread-guard.js';
import { ReceivedFences, sendFences, sendNote } from '../sync/fences/fence-link.js';
import type { WaitableFence } from '../sync/waitable.js';
import { watchAttachments } from '../sync/watch/attachment-watch.js';
import { createThreadApi, type ThreadSides } from './calls/thread-api.js';
import { exposeThread } from './control/comlink-link.js';
import { emptyStats, FRAME_STAT_COUNT, RHI_STATS_BEGIN } from './control/frame-stats.js';
import type { Notice, WorkerCanvas, WorkerConfig, WorkerRequest } from './control/protocol.js';
import type { LoadedFiles, LoadTools } from './library-files/library-files.js';
import { loadFile } from './library-files/load-file.js';
import { type RenderSide, startRenderSide } from './render-side/render-side.js';
import { bypassTo } from './rhi-side/bypass-to.js';
import { type OpenRhi, openRhi, type RhiSide, startRhiSide } from './rhi-side/rhi-side.js';

/** Interval at which a thread sends signs of life during long work, in milliseconds. */
const BEAT_MILLISECONDS = 100;

/** Time for which a stream may wait for an attachment before the wait is watched, in milliseconds. */
const LATE_MILLISECONDS = 250;

/** The canvas to draw to. It is kept from one connection to the next, as long as the worker lives. */
let canvas: OffscreenCanvas | null = null;
/** The open device. It is kept from one connection to the next, until it is lost. */
let device: OpenRhi | null = null;
let receiveCanvas: (canvas: OffscreenCanvas) => void;
/** The newest connection. */
let current: WorkerConnection | null = null;
/** Resolves when earlier connections have started, so that they start one after the other. */
let turn = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<WorkerConfig | WorkerCanvas>) => {
  if ('canvas' in data) return receiveCanvas(data.canvas);
  if (data.build !== BUILD) {
    const error = errorToData(buildsDiffer('worker.js', BUILD, 'the page’s code', data.build));
    return data.noticePort.postMessage({ kind: 'not-started', error } satisfies Notice);
  }
  const before = current;
  const connection = new WorkerConnection(data);
  current = connection;
  turn = turn.then(() => connection.start(before));
};

// The lost message may hold the thread's role. The thread cannot start without its role, so it ends.
hearLosses(self, 'roles of the engine’s worker', endWorker, 'The thread ends.');

/** One connection to the main thread. It begins with a `WorkerConfig`, and ends when the next connection starts. */
class WorkerConnection {
  readonly #config: WorkerConfig;
  readonly #thread: ThreadSides;
  readonly #loadTools: LoadTools;
  /** See `RenderSideOptions.checkGraph`. */
  #checkGraph: LoadedFiles['tools']['checkGraph'] | null = null;
  #isWorking = false;
  /** Time of the last sign of life, or of the start of the current work if that is later, in milliseconds. */
  #lastBeat = 0;
  /** Time at which the last work ended, in milliseconds. */
  #lastRest = 0;
  /** A render worker's copies of the fences that the RHI worker signals. */
  #received: ReceivedFences | undefined;

  constructor(config: WorkerConfig) {
    this.#config = config;
    this.#thread = {
      render: null,
      rhi: null,
      events: new EventRing(config.sharedEvents ?? undefined),
      roles: new ThreadRoles(config.role.kind === 'rhi' ? 'RHI' : 'render'),
      onError: this.#onError,
    };
    this.#loadTools = () => loadFile('tools', config.toolsUrl);
    // The page asks for signs of life even while the worker starts.
    config.noticePort.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
      if (data === 'is-alive') this.#notify({ kind: 'alive' });
    };
    hearLosses(config.noticePort, 'requests of the page', this.#onError);
    hearLosses(config.controlPort, 'calls of the page', this.#onError);
    hearLosses(config.mainFences.port, 'fences of the page', this.#onError);
    exposeThread(createThreadApi(this.#thread, this.#loadTools), config.controlPort);
  }

  /** Starts the sides of the role. @param before the connection that this one takes over from */
  async start(before: WorkerConnection | null): Promise<void> {
    try {
      await before?.end();
      this.#notify({ kind: 'started', build: BUILD, capabilities: await this.#startSides() });
    } catch (error) {
      this.#notify({ kind: 'not-started', error: errorToData(error) });
    }
  }

  /** Ends the sides. Device and canvas are kept for the next connection. */
  async end(): Promise<void> {
    const { render, rhi } = this.#thread;
    this.#thread.render = this.#thread.rhi = null;
    render?.stop();
    this.#thread.helpers?.close();
    this.#received?.close();
    await rhi?.shutDown({ isReplaced: true });
  }

  async #startSides(): Promise<RhiCapabilities> {
    const { role, mainFences, options } = this.#config;
    // A development page that does not serve the tools runs without the checks. With `validation`, it fails to start.
    const isChecked = options.checksGraph && (options.validation || this.#config.toolsUrl !== '');
    if (isChecked && role.kind !== 'rhi') this.#checkGraph = (await this.#loadTools()).checkGraph;
    switch (role.kind) {
      case 'render+rhi': {
        const stream = createLocalStream({ table: rhiCommands });
        stream.reader.onProgress = this.#beat;
        stream.writer.onProgress = this.#beat;
        const rhi = await this.#startRhi(stream.reader);
        const reader = this.#connectReader(this.#config.commandPort as MessagePort, renderStream);
        const { completedFrames } = rhi.executor;
        const bypass = bypassTo(rhi, stream.writer, this.#config.options, device?.tools ?? null);
        const { rendered } = this.#startRender(
          reader,
          stream.writer,
          completedFrames,
          rhi.capabilities,
          bypass,
        );
        const { submitted, completed } = rhi.frames;
        sendFences(mainFences, { rendered, submitted, completed });
        return rhi.capabilities;
      }
      case 'rhi': {
        const reader = this.#connectReader(role.rhiPort, rhiCommands);
        const { frames, executor, capabilities } = await this.#startRhi(reader);
        sendFences(mainFences, { submitted: frames.submitted, completed: frames.completed });
        sendFences(role.fences, { completed: executor.completedFrames });
        return capabilities;
      }
      case 'render': {
        this.#received = new ReceivedFences(role.fences);
        hearLosses(role.fences.port, 'completed lists', this.#onError);
        const [completed] = this.#received.fences;
        const reader = this.#connectReader(this.#config.commandPort as MessagePort, renderStream);
        const writer = this.#connectWriter(role.rhiPort, rhiCommands);
        const { rendered } = this.#startRender(reader, writer, completed, role.capabilities);
        sendFences(mainFences, { rendered });
        return role.capabilities;
      }
    }
  }

  /** Opens the device if necessary, and starts the RHI side. @param reader the stream to execute */
  async #startRhi(reader: EndingReader): Promise<RhiSide> {
    const { options, awaitsCanvas } = this.#config;
    const opened = device ?? (await openRhi(options, this.#loadTools));
    if (device === null) {
      device = opened;
      opened.device?.lost.then(() => {
        device = null;
      });
    }
    if (awaitsCanvas) {
      const arrived = new Promise<OffscreenCanvas>((resolve) => {
        receiveCanvas = resolve;
      });
      this.#notify({ kind: 'opened', build: BUILD });
      canvas = await arrived;
    }
    const { stats, onFrame } = this.#figures(RHI_STATS_BEGIN, FRAME_STAT_COUNT);
    const side = startRhiSide(opened, reader, {
      options,
      surface: canvas,
      stats,
      events: this.#thread.events,
      onError: this.#onError,
      onReadback: (request, bytes) => this.#notify({ kind: 'readback', request, bytes }, [bytes]),
      onTrace: (lines) => this.#notify({ kind: 'rhi-trace', lines }),
      onFrame,
    });
    this.#thread.rhi = side;
    return side;
  }

  #startRender(
    reader: StreamReader,
    rhiWriter: StreamWriter,
    completed: WaitableFence,
    capabilities: RhiCapabilities,
    bypass?: ReturnType<typeof bypassTo>,
  ): RenderSide {
    const { options } = this.#config;
    const { stats, onFrame } = this.#figures(0, RHI_STATS_BEGIN);
    const side = startRenderSide({
      options,
      reader,
      rhiWriter,
      bypass,
      capabilities,
      checkGraph: this.#checkGraph,
      completed,
      stats,
      events: this.#thread.events,
      onError: this.#onError,
      onFrame,
    });
    this.#thread.render = side;
    return side;
  }

  /** Creates the reading end of a stream from another thread. */
  #connectReader(port: MessagePort, table: StreamTable): EndingReader {
    const { shared } = this.#config;
    const reader = connectStreamReader(port, { table, shared });
    this.#watchAttachments(reader);
    reader.onProgress = this.#beat;
    reader.onLoss = () => this.#onError(streamMessageLost('reader', table.name, shared));
    return reader;
  }

  /** Watches for an attachment that does not arrive soon after its record. */
  #watchAttachments(reader: AttachmentReader): void {
    const { reportSeconds, restartSeconds } = this.#config.options;
    let isChecked = false;
    reader.onAttachmentWait = () => {
      if (isChecked) return;
      isChecked = true;
      setTimeout(() => {
        isChecked = false;
        if (!reader.awaitedAttachment) return;
        watchAttachments(reader, { reportSeconds, restartSeconds, onError: this.#onError });
      }, LATE_MILLISECONDS);
    };
  }

  /** Creates the writing end of a stream to another thread. */
  #connectWriter(port: MessagePort, table: StreamTable): StreamWriter {
    const { shared } = this.#config;
    // Post memory only after the reader's hello, because the reader is a worker too (`greeted-port.ts`).
    const writer = connectStreamWriter(port, { table, shared }, true);
    writer.onProgress = this.#beat;
    writer.onLoss = () => this.#onError(streamMessageLost('writer', table.name, shared));
    return writer;
  }

  /**
   * Sends a sign of life while a large scene keeps this thread busy, so that the page does not take the thread for
   * dead. Streams call this function at each page and each attachment. A thread that works for less than
   * `BEAT_MILLISECONDS` at a time sends nothing.
   */
  readonly #beat = (): void => {
    const now = performance.now();
    if (!this.#isWorking) {
      this.#isWorking = true;
      queueMicrotask(this.#rest);
      // Work that resumes within a millisecond counts as a continuation, because the RHI executes right after the
      // recording.
      if (now - this.#lastRest > 1) this.#lastBeat = now;
    }
    if (now - this.#lastBeat < BEAT_MILLISECONDS) return;
    this.#lastBeat = now;
    this.#notify({ kind: 'beat' });
  };

  readonly #rest = (): void => {
    this.#isWorking = false;
    this.#lastRest = performance.now();
  };

  /**
   * Returns the `FrameStat` block, and a function to call after each frame. This thread writes the block's entries
   * from `first` to `end`. Without shared memory, the function posts a copy of these entries to the page, over the port
   * of the fences: the figures of a frame arrive before its signals.
   */
  #figures(first: number, end: number): { stats: Float64Array; onFrame: () => void } {
    const { sharedStats } = this.#config;
    if (sharedStats) return { stats: new Float64Array(sharedStats), onFrame: () => {} };
    const stats = emptyStats();
    const { events } = this.#thread;
    const onFrame = (): void =>
      sendNote(this.#config.mainFences, {
        kind: 'stats',
        first,
        figures: stats.slice(first, end),
        last: events.last,
      } satisfies Notice);
    return { stats, onFrame };
  }

  readonly #onError = (error: unknown): void => this.#notify({ kind: 'error', error: errorToData(error) });

  #notify(notice: Notice, transferred: Transferable[] = []): void {
    this.#config.noticePort.postMessage(notice, transferred);
  }
}
