/**
 * A runnable on its thread (SYSTEMS T11): a module that exports what a thread of its own does, as long as it lives.
 *
 *   init ─► true: run ─► exit ─► ended              stop: called meanwhile, where the event loop gets a turn; `isStopRequested` is
 *     └───► false, or it throws: failed                   true at once where memory is shared
 */
import { TaskError } from '../../core/errors.js';
import type { RunnableStage } from '../../core/events/event-ring.js';
import { sharedMemoryIn } from '../arguments/shared-array.js';
import { HeldLocks, setLockHolder } from '../blocking/lock-holder.js';
import { isGenerator, runFiber } from '../execution/fiber.js';
import { type TaskTools, taskTools } from '../execution/task-tools.js';
import { ThreadLocals } from '../execution/thread-locals.js';
import { failureOf } from '../failure.js';
import { SharedMemories } from '../shared-memory/shared-memories.js';
import { resultRefused } from '../task-errors.js';
import type { RunnableNotice, RunnableOrder } from '../task-messages.js';
import type { ImportModule } from '../task-module.js';

/** What a module of a runnable exports as its default. */
export interface Runnable {
  /** Before `run`. False, or a throw: there is nothing to run, and the thread ends. */
  init?(args: unknown, thread: RunnableContext): unknown;
  /** The thread's work, to its end: a function, an asynchronous one, or a generator whose `yield`s let the event loop have a turn. */
  run(args: unknown, thread: RunnableContext): unknown;
  /** It is to end `run` soon. */
  stop?(): void;
  /** Behind `run`, however that has ended. */
  exit?(): unknown;
}

/** What the functions of a runnable get besides its arguments. */
export interface RunnableContext {
  readonly name: string;
  /** `run` is to end. */
  readonly isStopRequested: boolean;
  /** The other end of `thread.port` of the page. */
  readonly port: MessagePort;
  readonly tools: TaskTools;
  /** As `task.local`: cleaned up behind `exit`. */
  local<T>(key: unknown, create: () => T, cleanUp?: (value: T) => void): T;
}

const STOP = 0;
/** The first of its words that say which locks it has. */
export const LOCKS = 1;

export function serveRunnable(
  order: RunnableOrder,
  importModule: ImportModule,
  post: (notice: RunnableNotice) => void,
): { stop(): void } {
  const { url, name, args, port, words, identity, isHere } = order;
  const locals = new ThreadLocals();
  let runnable: Runnable | undefined;
  let isStopping = false;
  /** `stop` is called once, and never behind `exit`: `run` may see the request in shared memory before the message is heard. */
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
    // The page knows the memory of the arguments without a message, which a thread that is killed might not get through.
    const known = [...sharedMemoryIn(args)];
    const memories = new SharedMemories(1, post);
    const numberOf = (memory: SharedArrayBuffer): number => {
      const place = known.indexOf(memory);
      return place < 0 ? memories.numberOf(memory) : place;
    };
    setLockHolder(new HeldLocks(words, LOCKS, identity, numberOf));
  }
  const context: RunnableContext = {
    name,
    port,
    tools: taskTools,
    get isStopRequested() {
      return isStopping || (words !== null && Atomics.load(words, STOP) !== 0);
    },
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
    stop: () => {
      isStopping = true;
      callStop();
    },
  };
}

/** Milliseconds since the epoch. */
const now = (): number => performance.timeOrigin + performance.now();

/** Of the page: what the thread sees at once, also in a loop that gives the event loop no turn. */
export function requestStop(words: Int32Array | null): void {
  if (words) Atomics.store(words, STOP, 1);
}

function runnableOf(module: Readonly<Record<string, unknown>>, url: string): Runnable {
  const runnable = (module.default ?? module) as Partial<Runnable>;
  if (typeof runnable.run === 'function') return runnable as Runnable;
  throw new TaskError(
    'runnable-invalid',
    `${url} exports nothing that can be run. Export it: \`export default { init, run, stop, exit }\`; \`run\` has to be there.`,
  );
}

const refused = (name: string): TaskError =>
  new TaskError('runnable-init-failed', `\`init\` of the thread "${name}" returned false.`);
