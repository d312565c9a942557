import { FencepostError, messageOf, OptionError, ThreadError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, byDefault, numberFrom, optional } from '../../core/options/members.js';
import { type Clock, withDeadline } from '../../sync/deadline.js';
import type { FrameProducer } from './frame-producer.js';
import { untilAborted } from './until-aborted.js';

/** A task that a frame waits for. */
export type FramePrerequisite = PromiseLike<unknown> | ((frame: number) => unknown);

export const PREREQUISITE_OPTIONS = {
  /** Name of the task in error messages. */
  name: optional(anything<string>()),
  /** Time limit in seconds: 0 to 3600. Default 10. After this time the frame is drawn without the task. */
  seconds: byDefault(numberFrom(0, 3600), 10),
};

export type PrerequisiteOptions = Shaped<typeof PREREQUISITE_OPTIONS>;

interface FramePrerequisitesHost {
  /** The producer of frames. Its `frame` is the number of the last produced frame. */
  readonly producer: Pick<FrameProducer, 'frame' | 'refusal'>;
  /** Aborted when the engine is disposed of. */
  readonly disposed: AbortSignal;
  readonly reportError: (error: unknown) => void;
  readonly clock: Clock;
}

/**
 * The tasks that must end before a frame is drawn (SYSTEMS R7). They run between the frame's tick and its update, and
 * block no thread. If a task fails or takes too long, the error is reported and the frame is drawn without it.
 *
 *   tick 7 │ ··· prerequisites ··· │ update 7 ═══►
 */
export class FramePrerequisites {
  readonly #host: FramePrerequisitesHost;
  readonly #pending = new Set<Promise<void>>();

  constructor(host: FramePrerequisitesHost) {
    this.#host = host;
  }

  /**
   * Resolves when the task has ended. The promise never rejects, because errors are reported.
   * @param options checked by the caller
   */
  add(task: FramePrerequisite, options: PrerequisiteOptions): Promise<void> {
    const { disposed, reportError } = this.#host;
    const work = this.#finish(task, options).catch((error: unknown) => {
      if (disposed.aborted) return;
      reportError(
        error instanceof FencepostError
          ? error
          : new ThreadError(
              'prerequisite-failed',
              `${describe(options)} failed: ${messageOf(error)} The frame is drawn without it.`,
              { cause: error },
            ),
      );
    });
    this.#pending.add(work);
    return work.finally(() => this.#pending.delete(work));
  }

  /** Resolves when all added tasks have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #finish(task: FramePrerequisite, options: PrerequisiteOptions): Promise<void> {
    const { seconds = 10 } = options;
    if (typeof task !== 'function' && typeof task?.then !== 'function') {
      throw new OptionError('option-invalid', 'addFramePrerequisite takes a promise or a function.');
    }
    const { producer, disposed, clock } = this.#host;
    const frame = producer.frame + 1;
    const done = Promise.resolve(typeof task === 'function' ? this.#call(task, frame, options) : task);
    await untilAborted(
      withDeadline(done, {
        milliseconds: seconds * 1000,
        waiter: `Frame ${frame}`,
        awaited: describe(options),
        clock,
      }),
      disposed,
    );
  }

  /**
   * Calls the task. In the task's synchronous part, calls that wait for the frame throw. After an `await`, the task's
   * calls can't be distinguished from other calls of the page.
   */
  #call(task: (frame: number) => unknown, frame: number, options: PrerequisiteOptions): unknown {
    const { producer } = this.#host;
    producer.refusal = (call) =>
      new ThreadError(
        'blocked-on-render-thread',
        `${call} was called inside ${describe(options)}, which frame ${frame} waits for. The thread "main" would wait for the thread "render", which waits for the frame. Call it after the prerequisite has ended.`,
      );
    try {
      return task(frame);
    } finally {
      producer.refusal = null;
    }
  }
}

const describe = ({ name }: PrerequisiteOptions): string =>
  name ? `the frame prerequisite "${name}"` : 'a frame prerequisite';
