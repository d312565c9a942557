/**
 * Serves a runnable on its own thread (SYSTEMS T11). A runnable is a module that contains the work of a whole thread.
 *
 *   init ─┬─► run ─► exit ─► ended                  stop: called in a turn of the event loop; in shared memory
 *         └─► returned false, or has thrown: failed       `isStopRequested` is true at once
 *
 * Between turns of its work, `run` may pause at safe points (`suspension.ts`).
 */
import { TaskError } from '../../core/errors.js';
import type { RunnableStage } from '../../core/events/event-ring.js';
import { sharedMemoryIn } from '../arguments/shared-array.js';
import { HeldLocks, setLockHolder } from '../blocking/lock-holder.js';
import { isGenerator, runFiber } from '../execution/run-body.js';
import { ThreadLocals } from '../execution/task-context.js';
import { type TaskTools, taskTools } from '../execution/task-tools.js';
import { SharedMemories } from '../shared-memory/argument-codec.js';
import { failureOf, resultRefused } from '../task-errors.js';
import type { RunnableNotice, RunnableOrder, SuspendRequest } from '../task-messages.js';
import type { ImportModule } from '../task-module.js';
import { SafePoints } from './suspension.js';

/** The default export of a runnable's module. */
export interface Runnable {
  /** Called before `run`. If it returns false or throws, `run` is not called and the thread ends. */
  init?(args: unknown, thread: RunnableContext): unknown;
  /**
   * Does all of the thread's work. It may be a function, an asynchronous function, or a generator, whose `yield`s give
   * the event loop a turn.
   */
  run(args: unknown, thread: RunnableContext): unknown;
  /** Called at most once, when a stop is requested before `run` has ended; makes `run` end soon. */
  stop?(): void;
  /** Called after `run`, whether it succeeded or failed. */
  exit?(): unknown;
}

/** The context of a runnable's functions. */
export interface RunnableContext {
  readonly name: string;
  /** True once a stop is requested: `run` should end. */
  readonly isStopRequested: boolean;
  /** True while the page has suspended the thread: `run` should reach a safe point. */
  readonly isSuspendRequested: boolean;
  /**
   * Pauses while the page has suspended the thread. Resolves when the page has resumed the thread or requests its end.
   * Resolves at once if the thread is not suspended.
   */
  safePoint(): Promise<void>;
  /**
   * Does the same as `safePoint`, but blocks the thread, for loops that never await.
   * @throws StateError `wait-not-possible` on the page's thread and without shared memory
   */
  blockAtSafePoint(): void;
  /** The other end of the page's `thread.port`. */
  readonly port: MessagePort;
  readonly tools: TaskTools;
  /** Returns a thread local, like `task.local`. It is cleaned up after `exit`. */
  local<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T;
}

const STOP = 0;
/** Index of the first word of the thread's lock notes, after the words of stop and suspension. */
export const LOCKS = 2;

/** Handle of a served runnable, for the page's requests. */
export interface ServedRunnable {
  hear(message: SuspendRequest | { readonly kind: 'stop' }): void;
}

export function serveRunnable(
  order: RunnableOrder,
  importModule: ImportModule,
  post: (notice: RunnableNotice) => void,
): ServedRunnable {
  const { url, name, args, port, words, identity, isHere } = order;
  const locals = new ThreadLocals();
  let runnable: Runnable | undefined;
  let isStopping = false;
  /**
   * False once `stop` was called or `exit` begins, so that `stop` is called at most once, and before `exit`. In shared
   * memory `run` may see the request before the message arrives.
   */
  let mayStop = true;
  const callStop = (): void => {
    if (!mayStop) return;
    mayStop = false;
    try {
      runnable?.stop?.();
    } catch (error) {
      tell(error);
    }
  };
  if (words && !isHere) {
    // Reuse the page's numbers for memory in the arguments. New numbers would need a message, which is lost if the
    // thread is killed.
    const known = [...sharedMemoryIn(args)];
    const memories = new SharedMemories(1, post);
    const numberOf = (memory: SharedArrayBuffer): number => {
      const place = known.indexOf(memory);
      return place < 0 ? memories.numberOf(memory) : place;
    };
    setLockHolder(new HeldLocks(words, LOCKS, identity, numberOf));
  }
  const isStopRequested = (): boolean => isStopping || (words !== null && Atomics.load(words, STOP) !== 0);
  const safePoints = new SafePoints({ words, isHere, post, isStopRequested });
  const context: RunnableContext = {
    name,
    port,
    tools: taskTools,
    get isStopRequested() {
      return isStopRequested();
    },
    get isSuspendRequested() {
      return safePoints.request !== 0;
    },
    safePoint: () => safePoints.pause(),
    blockAtSafePoint: () => safePoints.block(),
    local: (key, create, cleanUp) => locals.get(key, create, cleanUp),
  };
  const fail = (stage: 'init' | 'run', thrown: unknown): void =>
    post({ kind: 'runnableFailed', stage, ...failureOf(thrown) });
  const tell = (thrown: unknown): void => post({ kind: 'runnableError', ...failureOf(thrown) });
  const call = async (stage: RunnableStage, what: () => unknown): Promise<unknown> => {
    if (!runnable?.[stage]) return undefined;
    const began = now();
    try {
      const result = what();
      return await (isGenerator(result) ? runFiber(result) : result);
    } finally {
      post({ kind: 'runnableRan', stage, ran: [began, now()] });
    }
  };
  const live = async (): Promise<void> => {
    try {
      runnable = runnableOf(await importModule(url), url);
      if ((await call('init', () => runnable?.init?.(args, context))) === false) throw refused(name);
    } catch (thrown) {
      locals.clear(tell);
      port.close();
      fail('init', thrown);
      return;
    }
    post({ kind: 'initialised' });
    let end: () => void;
    try {
      const result = await call('run', () => runnable?.run(args, context));
      end = () => post({ kind: 'runnableEnded', result });
    } catch (thrown) {
      end = () => fail('run', thrown);
    }
    if (context.isStopRequested) callStop();
    mayStop = false;
    await call('exit', () => runnable?.exit?.()).catch(tell);
    locals.clear(tell);
    port.close();
    try {
      end();
    } catch (refusal) {
      fail('run', resultRefused(`the thread "${name}"`, refusal));
    }
  };
  void live();
  return {
    hear: (message) => {
      if (message.kind !== 'stop') {
        safePoints.hear(message);
        return;
      }
      isStopping = true;
      callStop();
      safePoints.wake();
    },
  };
}

/** Returns the time in milliseconds since the epoch. */
const now = (): number => performance.timeOrigin + performance.now();

/**
 * Requests a stop in shared memory; does nothing without shared memory. The page calls it. The thread can see the
 * request at once, even in a loop that never returns to the event loop.
 */
export function requestStop(words: Int32Array | null): void {
  if (words) Atomics.store(words, STOP, 1);
}

function runnableOf(module: Readonly<Record<string, unknown>>, url: string): Runnable {
  const runnable = (module.default ?? module) as Partial<Runnable>;
  if (typeof runnable.run === 'function') return runnable as Runnable;
  throw new TaskError(
    'runnable-invalid',
    `${url} exports no runnable. Export one: \`export default { init, run, stop, exit }\`, of which only \`run\` is required.`,
  );
}

const refused = (name: string): TaskError =>
  new TaskError('runnable-init-failed', `\`init\` of the thread "${name}" returned false.`);
