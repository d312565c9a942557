import type { EventRing } from '../../core/event-ring.js';
import type { LoadScene } from '../../game/load-queue.js';
import type { RenderWork, RenderWorkHost } from '../modules/render-work.js';
import { connectAssets } from './asset-connection.js';
import { Captures } from './capture.js';
import type { EngineParts } from './engine.js';
import { lazily } from './lazily.js';
import type { RestartHost } from './restart.js';
import type { Failure } from './restart-policy.js';
import { ThreadCalls } from './thread-calls.js';

/**
 * What an engine does besides its frames, wired up. It is fetched with the first of it, so that a page which only
 * draws carries none; what is large of it is fetched apart, when that is needed.
 *
 *   Engine ─ frames
 *      └╌╌ first call ╌╌► LazyParts ─ captures, calls to threads, the asset worker's end
 *                             └╌╌╌╌► restarts │ timeline │ render modules and fences
 */
export interface LazyPartsHost
  extends Omit<RenderWorkHost, 'calls' | 'roles' | 'clock'>,
    Pick<RestartHost, 'settings' | 'events' | 'emit' | 'fail'> {
  readonly given: EngineParts;
}

export class LazyParts {
  readonly captures: Captures;
  readonly calls: ThreadCalls;
  readonly #host: LazyPartsHost;
  #assets: ReturnType<typeof connectAssets> | null = null;
  #work: RenderWork | null = null;
  #isWorkAsked = false;

  constructor(host: LazyPartsHost) {
    this.#host = host;
    this.captures = new Captures(host.loop, host.given.surface, host.pipeline);
    this.calls = new ThreadCalls(host.pipeline, host.producer);
  }

  /** Through the asset worker's client, which starts the worker. */
  readonly load: LoadScene = (source, request) => {
    const { given, pipeline } = this.#host;
    this.#assets ??= connectAssets(pipeline.options, given.ring);
    if (this.#isDisposed()) this.endLoads();
    return this.#assets.client.load(source, request);
  };

  endLoads(): void {
    this.#assets?.client.dispose();
  }

  readonly restarts = lazily(async () => {
    const { Restarts } = await import('./restart.js');
    const { given } = this.#host;
    return new Restarts({
      ...this.#host,
      surface: given.surface,
      connect: given.connect,
      captures: this.captures,
      moveWork: async (next) => this.#work?.moveTo(next),
      isDisposed: this.#isDisposed,
      recordFlightBy: (recordFlight) => {
        given.recordFlight = recordFlight;
      },
    });
  });

  async recover(failure: Failure): Promise<void> {
    (await this.restarts()).recover(failure);
  }

  readonly timeline = lazily(async () => {
    const { Timeline } = await import('./timeline.js');
    const { given, pipeline } = this.#host;
    return new Timeline({
      rings: (): { assets: EventRing | undefined; main: EventRing } => ({
        assets: this.#assets?.tasks,
        main: given.ring,
      }),
      control: () => pipeline.connection.control(),
      disposed: this.#host.world.disposed,
      frameSync: () => pipeline.options.frameSync,
    });
  });

  async toggleTimeline(): Promise<void> {
    await (await this.timeline()).toggle();
  }

  readonly work = lazily(async () => {
    this.#isWorkAsked = true;
    const { RenderWork } = await import('../modules/render-work.js');
    this.#work = new RenderWork({ ...this.#host, calls: this.calls, roles: this.#host.given.roles });
    return this.#work;
  });

  /** For `flush`. What is under way may still be waiting for its code; where that can't be had, whoever asked is told. */
  async settle(): Promise<void> {
    if (this.#isWorkAsked) await (await this.work().catch(() => null))?.settle();
  }

  readonly #isDisposed = (): boolean => this.#host.world.disposed.aborted;
}
