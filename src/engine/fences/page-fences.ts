import { errorFromData, type FencepostError, StateError } from '../../core/errors.js';
import { hearLosses } from '../../core/streams/port-messages.js';
import { withDeadline } from '../../sync/deadline.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import { createFences } from '../../sync/fences/fences.js';
import { FenceTrace } from '../../sync/fences/logs/fence-trace.js';
import type { FenceDescriptor, MonitoredFence } from '../../sync/fences/monitored-fence.js';
import type { WorkerInvitation } from '../../tasks/page/task-host.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { FencesConfig, FencesNotice } from '../../threads/control/fence-messages.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { ThreadCalls } from '../frames/thread-calls.js';
import type { EngineFences, EngineFencesOptions } from './engine-fences.js';

interface PageFencesHost {
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  /** Repeats a call if the threads end before they have answered. */
  readonly calls: Pick<ThreadCalls, 'ask'>;
  readonly reportError: (error: unknown) => void;
}

interface Signalling {
  readonly fence: FenceDescriptor;
  readonly value: number | bigint;
}

/** Longest wait for threads without shared memory to send the logs of their queues, in milliseconds. */
const FLUSH_MILLISECONDS = 1000;
const CAPACITY = 256;
/** Limit of queues in the group. A connection uses up to two queues, and frees them when it has ended. */
const QUEUES = 8;

/**
 * The engine's fences (`engine.fences`). Their group belongs to the main thread and outlives the threads of a
 * connection. Each new connection joins the group. If a device or thread is lost before a queue has sent its signals,
 * the main thread sends them. It first waits until the new threads have completed all frames produced so far.
 *
 *   threads A   b ← 7 recorded with frame 7 ✕            threads B   frame 8 ── complete ─► b ← 7
 */
export class PageFences {
  readonly fences: EngineFences;
  readonly #host: PageFencesHost;
  /** The engine's own handle to the progress of the GPU's queue. Users may close the public handle. */
  readonly #progress: MonitoredFence;
  #connected: { readonly connection: RenderConnection; readonly done: Promise<void> } | null = null;
  /** Invitations of the current threads. */
  #invitations: FenceInvitation[] = [];
  /** Invitations of the previous threads, which may still be ending. */
  #stale: FenceInvitation[] = [];
  /** The last value of each fence that the GPU has signalled or will signal, by the fence's index. */
  #signalling = new Map<number, Signalling>();

  constructor(host: PageFencesHost, { namesQueues = false }: EngineFencesOptions) {
    this.#host = host;
    const group = createFences({
      name: 'the page',
      capacity: CAPACITY,
      queues: QUEUES,
      namesQueues,
      onError: host.reportError,
    });
    this.#progress = group.create('progress of the GPU', {
      initialValue: host.pipeline.completed.value,
      isProgress: true,
    });
    this.fences = Object.assign(group, { queueProgress: group.open(this.#progress.share()) });
    // A failed engine sends no more signals, so end all waits.
    host.pipeline.completed.onFailure((error) => this.#end(error));
  }

  /** Bytes of the group's memory: fences, and logs of queues. */
  get byteLength(): number {
    return this.fences.core.memory.buffer.byteLength;
  }

  /**
   * Returns a trace of the fences for the timeline.
   * @param from `start` includes the entries already in the queues' logs
   */
  trace(from: 'start' | 'now'): FenceTrace {
    return new FenceTrace(this.fences.core, from);
  }

  /** Resolves when the logs of the threads' queues have arrived, or after `FLUSH_MILLISECONDS`. */
  async flushLogs(): Promise<void> {
    const wait = { milliseconds: FLUSH_MILLISECONDS, waiter: 'the timeline', awaited: 'the logs of fences' };
    await withDeadline(this.fences.flushLogs(), wait).catch(() => {});
  }

  /**
   * Resolves when the current threads have joined the group.
   * @throws (rejects) StateError `fences-created` if the group was created with other options
   */
  async connect({ namesQueues }: EngineFencesOptions): Promise<void> {
    const created = this.fences.core.memory.namesQueues;
    if (namesQueues !== undefined && namesQueues !== created) {
      throw new StateError(
        'fences-created',
        `engine.fences() was called with namesQueues: ${namesQueues}, but an earlier call has created the fences with ${created}. Pass the option to the first call.`,
      );
    }
    await this.#host.calls.ask((connection) => this.#connectTo(connection));
  }

  /** Moves the group to the threads that take over. */
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
      () => {}, // The engine and its fences have ended.
    );
  }

  /** Invites a worker of the pool. The worker may block on fences. @throws StateError `too-many-fence-threads` */
  inviteWorker(): WorkerInvitation {
    const { invitation, transfer } = this.fences.invite({ mayOpenQueue: false });
    const evict = (): void => {
      if (this.fences.error === null) this.fences.evict(invitation);
    };
    return { invitation, transfer, evict };
  }

  #connectTo(connection: RenderConnection): Promise<void> {
    if (this.#connected?.connection === connection) return this.#connected.done;
    const done = connection.control.connectFences((name) => this.#invite(name));
    const connected = { connection, done };
    this.#connected = connected;
    done.catch(() => {
      if (this.#connected === connected) this.#connected = null; // the next call tries again
    });
    return done;
  }

  /** Returns the configuration that lets a thread join the group. */
  #invite(name: string): FencesConfig {
    const { invitation } = this.fences.invite();
    this.#invitations.push(invitation);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<FencesNotice>) => {
      if (data.kind === 'error') this.#host.reportError(errorFromData(data.error));
      else this.#signalling.set(data.fence.index, data);
    };
    hearLosses(port1, `GPU signals for ${name}`, this.#host.reportError);
    return { invitation, name, port: port2, progress: this.#progress.share() };
  }

  #signalAll(lost: Iterable<Signalling>): void {
    for (const { fence: descriptor, value } of lost) {
      try {
        const fence = this.fences.open(descriptor);
        fence.signal(value);
        fence.close();
      } catch {
        // No thread has the fence open any more.
      }
    }
  }

  #end(error: FencepostError): void {
    const { fences } = this;
    for (const local of fences.core.locals.values()) fences.fail(local, error);
    fences.dispose();
  }
}
