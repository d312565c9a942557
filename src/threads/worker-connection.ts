import type { Remote } from 'comlink';
import { errorFromData, ThreadError } from '../core/errors.js';
import { connectStreamWriter } from '../core/page-stream.js';
import { renderCommands } from '../proxy/commands.js';
import type { RhiCapabilities } from '../rhi/descriptors.js';
import { Fence } from '../sync/fence.js';
import { receiveFences } from '../sync/fence-link.js';
import type { Connect, ConnectionEvents } from './connection.js';
import type { ResolvedOptions } from './engine-options.js';
import { FRAME_STAT_COUNT } from './frame-stats.js';
import type { Notice, WorkerApi, WorkerConfig, WorkerRole } from './messages.js';
import { createModuleWorker } from './worker-location.js';

/**
 * `render` and `render+rhi` modes: starts the engine's workers and joins the threads by streams and fences.
 * Every worker is started here, from the main thread, because nested workers get no animation frames.
 *
 *   render        main ══ commands ══► worker (render + RHI)
 *   render+rhi    main ══ commands ══► render worker ══ RHI commands ══► RHI worker (device, canvas)
 */
export const connectWorkers: Connect = async (surface, options, events) => {
  const shared = globalThis.crossOriginIsolated === true;
  const canvas = options.backend === 'null' ? null : surface.transferToOffscreen();
  const rendered = new Fence('rendered');
  const submitted = new Fence('submitted');
  const completed = new Fence('completed');
  const sharedStats = shared ? new SharedArrayBuffer(FRAME_STAT_COUNT * 8) : null;
  const stats = new Float64Array(sharedStats ?? new ArrayBuffer(FRAME_STAT_COUNT * 8));
  const commands = new MessageChannel();
  const writer = connectStreamWriter(commands.port1, { shared, table: renderCommands });

  /** A dead thread is sticky: every waiter gets its error, and the page is told. */
  const fail = (error: ThreadError): void => {
    for (const fence of [rendered, submitted, completed]) fence.fail(error);
    writer.close(error);
    events.onError(error);
  };
  const context: WorkerContext = { options, shared, sharedStats, stats, events, fail };

  const workers: EngineWorker[] = [];
  try {
    let capabilities: RhiCapabilities;
    if (options.threading === 'render') {
      const worker = new EngineWorker('render', context);
      workers.push(worker);
      const fences = [rendered, submitted, completed];
      capabilities = await worker.start({ kind: 'render+rhi' }, fences, canvas, commands.port2);
    } else {
      // Both scripts load at once; the render side needs the device's capabilities to begin.
      const rhiWorker = new EngineWorker('RHI', context);
      const renderWorker = new EngineWorker('render', context);
      workers.push(renderWorker, rhiWorker);
      const rhi = new MessageChannel();
      const fences = new MessageChannel();
      capabilities = await rhiWorker.start(
        { kind: 'rhi', rhiPort: rhi.port2, fencePort: fences.port1 },
        [submitted, completed],
        canvas,
        null,
      );
      await renderWorker.start(
        { kind: 'render', rhiPort: rhi.port1, fencePort: fences.port2, capabilities },
        [rendered],
        null,
        commands.port2,
      );
    }
    return {
      writer,
      rendered,
      submitted,
      completed,
      capabilities,
      stats,
      purge: async () => {
        await Promise.all(workers.map(async (worker) => (await worker.api()).purge()));
      },
      startTrace: async () => {
        await Promise.all(workers.map(async (worker) => (await worker.api()).startTrace()));
      },
      stopTrace: async () =>
        (await Promise.all(workers.map(async (worker) => (await worker.api()).stopTrace()))).flat(),
      dispose: async () => {
        const leaks = [];
        try {
          // In order: the render worker's destroys reach the RHI worker before that one reports.
          for (const worker of workers) leaks.push(...(await worker.shutDown()).leaks);
        } finally {
          for (const worker of workers) worker.terminate();
          writer.close();
        }
        return { leaks };
      },
    };
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
};

interface WorkerContext {
  readonly options: ResolvedOptions;
  readonly shared: boolean;
  readonly sharedStats: SharedArrayBuffer | null;
  readonly stats: Float64Array;
  readonly events: ConnectionEvents;
  readonly fail: (error: ThreadError) => void;
}

/** One worker of the engine as the main thread sees it. */
class EngineWorker {
  readonly name: string;
  readonly #context: WorkerContext;
  readonly #worker: Worker;
  readonly #notices = new MessageChannel();
  readonly #control = new MessageChannel();
  readonly #fences = new MessageChannel();
  /** Held for as long as the worker lives: calls through a collected proxy never settle. */
  #api: Remote<WorkerApi> | null = null;
  #isStarted = false;
  #isDead = false;
  readonly #started: Promise<RhiCapabilities>;
  #resolveStart: (capabilities: RhiCapabilities) => void = () => {};
  #rejectStart: (error: Error) => void = () => {};

  constructor(name: string, context: WorkerContext) {
    this.name = name;
    this.#context = context;
    this.#started = new Promise((resolve, reject) => {
      this.#resolveStart = resolve;
      this.#rejectStart = reject;
    });
    // A worker may die before anybody waits for its start.
    this.#started.catch(() => {});
    this.#worker = createModuleWorker('engine', context.options.workerUrl);
    this.#worker.onerror = (event) => this.#died(event.message);
    this.#notices.port1.onmessage = ({ data }: MessageEvent<Notice>) => this.#receive(data);
  }

  /** Sends the worker its role; resolves when it is ready to receive frames. */
  start(
    role: WorkerRole,
    fences: readonly Fence[],
    canvas: OffscreenCanvas | null,
    commandPort: MessagePort | null,
  ): Promise<RhiCapabilities> {
    const { options, shared, sharedStats } = this.#context;
    receiveFences(this.#fences.port1, fences);
    const config: WorkerConfig = {
      role,
      backend: options.backend,
      canvas,
      maxFramesInFlight: options.maxFramesInFlight,
      sampleCount: options.sampleCount,
      shared,
      commandPort,
      mainFencePort: this.#fences.port2,
      noticePort: this.#notices.port2,
      controlPort: this.#control.port2,
      sharedStats,
    };
    const transferred: Transferable[] = [config.mainFencePort, config.noticePort, config.controlPort];
    if (canvas) transferred.push(canvas);
    if (commandPort) transferred.push(commandPort);
    if ('rhiPort' in role) transferred.push(role.rhiPort, role.fencePort);
    this.#worker.postMessage(config, transferred);
    return this.#started;
  }

  /** The control plane, loaded when it is first needed: no frame does. */
  async api(): Promise<Remote<WorkerApi>> {
    const { wrap } = await import('comlink');
    this.#api ??= wrap<WorkerApi>(this.#control.port1);
    return this.#api;
  }

  async shutDown(): ReturnType<WorkerApi['shutDown']> {
    return this.#isDead ? { leaks: [] } : (await this.api()).shutDown();
  }

  terminate(): void {
    for (const { port1 } of [this.#notices, this.#control, this.#fences]) port1.close();
    this.#worker.terminate();
  }

  #died(message: string | undefined): void {
    this.#isDead = true;
    const reason = message ? `: ${message}` : '';
    if (this.#isStarted) {
      this.#context.fail(
        new ThreadError('worker-died', `The ${this.name} worker stopped${reason}. Dispose of the engine.`),
      );
    } else {
      this.#rejectStart(
        new ThreadError(
          'worker-failed-to-start',
          `The ${this.name} worker did not start${reason}. Serve worker.js beside the module, or pass workerUrl.`,
        ),
      );
    }
  }

  #receive(notice: Notice): void {
    const { events, stats } = this.#context;
    switch (notice.kind) {
      case 'started':
        this.#isStarted = true;
        this.#resolveStart(notice.capabilities);
        break;
      case 'not-started':
        this.#rejectStart(errorFromData(notice.error));
        break;
      case 'stats':
        stats.set(notice.figures, notice.first);
        break;
      case 'readback':
        events.onReadback(notice.request, notice.bytes);
        break;
      case 'error':
        events.onError(errorFromData(notice.error));
    }
  }
}
