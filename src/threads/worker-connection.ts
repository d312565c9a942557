import { disposedError, errorFromData, type FencepostError, ThreadError } from '../core/errors.js';
import { connectStreamWriter } from '../core/page-stream.js';
import { renderCommands } from '../proxy/commands.js';
import type { RhiCapabilities } from '../rhi/descriptors.js';
import { Fence } from '../sync/fence.js';
import { receiveFences } from '../sync/fence-link.js';
import type { Connect, ConnectionEvents } from './connection.js';
import type { ResolvedOptions } from './engine-options.js';
import { FRAME_STAT_COUNT } from './frame-stats.js';
import { lazily } from './lazily.js';
import type { BasicCall, Notice, WorkerConfig, WorkerRole } from './messages.js';
import type { ControlledWorker } from './worker-control.js';
import { createModuleWorker, findFeatures, findWorker } from './worker-location.js';

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

  /** A dead thread is sticky: every waiter gets its error (the engine fails the other fences), and the page is told. */
  const fail = (error: FencepostError): void => {
    rendered.fail(error);
    writer.close(error);
    events.onError(error);
  };
  const context: WorkerContext = { options, shared, sharedStats, stats, events, fail };

  const workers: EngineWorker[] = [];
  const control = lazily(
    async () => new (await import('./worker-control.js')).WorkerControl(workers, events),
  );
  let progress = -1;
  // Nothing has moved since the last look, and something should have: the control judges who is alive.
  const timer = setInterval(() => {
    const before = progress;
    progress = rendered.value + submitted.value + completed.value;
    if (progress === before && events.awaitedFrame()) control().catch(() => {});
  }, 1000);
  const end = (): void => {
    clearInterval(timer);
    for (const worker of workers) worker.terminate();
    writer.close();
  };
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
      control,
      end,
    };
  } catch (error) {
    end();
    throw error;
  }
};

type Answer = Extract<Notice, { readonly kind: 'answer' }>;

interface WorkerContext {
  readonly options: ResolvedOptions;
  readonly shared: boolean;
  readonly sharedStats: SharedArrayBuffer | null;
  readonly stats: Float64Array;
  readonly events: ConnectionEvents;
  readonly fail: (error: FencepostError) => void;
}

/** One worker of the engine as the main thread sees it. */
class EngineWorker implements ControlledWorker {
  readonly name: string;
  readonly life = new Fence('life');
  isAsked = false;
  readonly #context: WorkerContext;
  readonly #worker: Worker;
  readonly #notices = new MessageChannel();
  readonly #control = new MessageChannel();
  readonly #fences = new MessageChannel();
  #capabilities: RhiCapabilities | undefined;
  /** By request, what its answer goes to. */
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #requests = 0;

  constructor(name: string, context: WorkerContext) {
    this.name = name;
    this.#context = context;
    this.#worker = createModuleWorker('engine', context.options.workerUrl);
    this.#worker.onerror = ({ message }) => {
      const reason = message ? `: ${message}` : '';
      this.end(
        this.life.isReached(1)
          ? new ThreadError('worker-died', `The ${name} worker stopped${reason}. Dispose of the engine.`)
          : new ThreadError(
              'worker-failed-to-start',
              `The ${name} worker did not start${reason}. Serve worker.js beside the module, or pass workerUrl.`,
            ),
      );
    };
    this.#notices.port1.onmessage = ({ data }: MessageEvent<Notice>) => this.#receive(data);
  }

  get controlPort(): MessagePort {
    return this.#control.port1;
  }

  get url(): string {
    return findWorker('engine', this.#context.options.workerUrl).href;
  }

  /** Sends the worker its role; resolves when it is ready to receive frames. */
  async start(
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
      validation: options.validation,
      featuresUrl: findFeatures(options.workerUrl),
    };
    const parts: unknown[] = [...Object.values(config), ...Object.values(role)];
    this.#worker.postMessage(
      config,
      parts.filter((part) => part instanceof MessagePort || part instanceof OffscreenCanvas),
    );
    this.isAsked = true;
    await this.life.whenReached(1);
    return this.#capabilities as RhiCapabilities;
  }

  ask(call: BasicCall): Promise<unknown> {
    const id = this.#requests++;
    this.#worker.postMessage({ id, call });
    return new Promise((resolve, reject) =>
      this.#answers.set(id, ({ value, error }) => (error ? reject(errorFromData(error)) : resolve(value))),
    );
  }

  terminate(): void {
    this.life.fail(disposedError());
    for (const { port1 } of [this.#notices, this.#control, this.#fences]) port1.close();
    this.#worker.terminate();
  }

  end(error: FencepostError): void {
    if (this.life.error) return;
    this.life.fail(error);
    // One that has not started has nobody waiting for it but `start`.
    if (this.life.isReached(1)) this.#context.fail(error);
  }

  #receive(notice: Notice): void {
    const { events, stats } = this.#context;
    switch (notice.kind) {
      case 'started':
        this.#capabilities = notice.capabilities;
        this.life.signal(1);
        break;
      case 'not-started':
        this.end(errorFromData(notice.error));
        break;
      case 'answer':
        this.#answers.get(notice.id)?.(notice);
        this.#answers.delete(notice.id);
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
