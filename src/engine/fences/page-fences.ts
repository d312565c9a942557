import { errorFromData, type FencepostError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import { withDeadline } from '../../sync/deadline.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import { createFences, type Fences } from '../../sync/fences/fences.js';
import { FenceTrace } from '../../sync/fences/logs/fence-trace.js';
import type { FenceDescriptor } from '../../sync/fences/monitored-fence.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { FencesConfig, FencesNotice } from '../../threads/control/fence-messages.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { ThreadCalls } from '../frames/thread-calls.js';

interface PageFencesHost {
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  /** Asks again where threads end before they have answered. */
  readonly calls: Pick<ThreadCalls, 'ask'>;
  readonly reportError: (error: unknown) => void;
}

interface Signalling {
  readonly fence: FenceDescriptor;
  readonly value: number | bigint;
}

/** For threads by messages to say that their queues' logs have come. */
const FLUSH_MILLISECONDS = 1000;
const CAPACITY = 256;
/** As many as there may be: a connection takes up to two, and gives them back when it has ended. */
const QUEUES = 8;

/**
 * The engine's fences (`engine.fences`), which live on the main thread and outlive the threads behind it. Each connection
 * joins the group anew. What a queue was to signal when its device or thread was lost, this thread signals when the
 * frames produced until then are complete, as `renderFence` counts them.
 *
 *   threads A   b ← 7 recorded with frame 7 ✕            threads B   frame 8 ── complete ─► b ← 7
 */
export class PageFences {
  readonly fences: Fences;
  readonly #host: PageFencesHost;
  #connected: { readonly connection: RenderConnection; readonly done: Promise<void> } | null = null;
  /** Of the threads there are, and of those before, which may still be ending. */
  #invitations: FenceInvitation[] = [];
  #stale: FenceInvitation[] = [];
  /** What the GPU is to signal, or has: the last value of each fence, by its number. */
  #signalling = new Map<number, Signalling>();

  constructor(host: PageFencesHost) {
    this.#host = host;
    this.fences = createFences({
      name: 'the page',
      capacity: CAPACITY,
      queues: QUEUES,
      onError: host.reportError,
    });
    // Nothing will be signalled any more by anybody: waits end.
    host.pipeline.completed.onFailure((error) => this.#end(error));
  }

  /** What happens with them from now on, for the timeline. @param from whether what queues' logs hold by now counts */
  trace(from: 'start' | 'now'): FenceTrace {
    return new FenceTrace(this.fences.core, from);
  }

  /** Resolves when what queues of the threads there are have logged is here; a dead thread is not waited for. */
  async flushLogs(): Promise<void> {
    const wait = { milliseconds: FLUSH_MILLISECONDS, waiter: 'the timeline', awaited: 'the logs of fences' };
    await withDeadline(this.fences.flushLogs(), wait).catch(() => {});
  }

  /** Resolves when the threads there are have joined. */
  async connect(): Promise<void> {
    await this.#host.calls.ask((connection) => this.#connectTo(connection));
  }

  /** Other threads take over. */
  async moveTo(connection: RenderConnection): Promise<void> {
    for (const invitation of this.#stale) this.fences.evict(invitation);
    this.#stale = this.#invitations;
    this.#invitations = [];
    const lost = this.#signalling;
    this.#signalling = new Map();
    await this.#connectTo(connection);
    const { pipeline, producer } = this.#host;
    pipeline.completed.whenReached(producer.frame).then(
      () => this.#signalAll(lost.values()),
      () => {}, // The engine has ended, and with it the fences.
    );
  }

  #connectTo(connection: RenderConnection): Promise<void> {
    if (this.#connected?.connection === connection) return this.#connected.done;
    const done = connection.control.connectFences((name) => this.#invite(name));
    const connected = { connection, done };
    this.#connected = connected;
    done.catch(() => {
      if (this.#connected === connected) this.#connected = null; // tried again by the next call
    });
    return done;
  }

  /** What a thread joins with. */
  #invite(name: string): FencesConfig {
    const { invitation } = this.fences.invite();
    this.#invitations.push(invitation);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<FencesNotice>) => {
      if (data.kind === 'error') this.#host.reportError(errorFromData(data.error));
      else this.#signalling.set(data.fence.index, data);
    };
    hearLosses(port1, `what the GPU signals for ${name}`, this.#host.reportError);
    return { invitation, name, port: port2 };
  }

  #signalAll(lost: Iterable<Signalling>): void {
    for (const { fence: descriptor, value } of lost) {
      try {
        const fence = this.fences.open(descriptor);
        fence.signal(value);
        fence.close();
      } catch {
        // Nobody has it open any more.
      }
    }
  }

  #end(error: FencepostError): void {
    const { fences } = this;
    for (const local of fences.core.locals.values()) fences.fail(local, error);
    fences.dispose();
  }
}
