/**
 * The worker's side of the pool: obeys orders and answers each once; where memory is shared, it takes
 * jobs from there between them (`shared/worker-loop.ts`).
 *
 *   load ─► import(url) ─► tasks by name          run ─► task(args, begin, end) ─► done, with what it has changed
 *                                                 share ─► ranges from the counter until none is left ─► done
 */
import { StateError } from '../core/errors.js';
import { EventRing, TimelineEvent } from '../core/event-ring.js';
import { HeldLocks, setLockHolder, setMayBlock } from './blocking/lock-holder.js';
import { failureOf } from './failure.js';
import { callTask } from './fiber.js';
import { MessageStarter, StartsByMessage } from './message-starter.js';
import { localThread, obeyRequest } from './named/named-thread.js';
import type { QueueName, ThreadName, ThreadQueues } from './named/thread-queues.js';
import { serveRunnable } from './runnable/serve-runnable.js';
import { OwnedJobs } from './shared/owned-jobs.js';
import { SharedMemories } from './shared/shared-memories.js';
import { SharedQueues } from './shared/shared-queues.js';
import { SpareJobs } from './shared/spare-jobs.js';
import { TaskMemory } from './shared/task-memory.js';
import { WorkerLoop } from './shared/worker-loop.js';
import { type Turn, takeRanges, turnsOfLoop } from './take-ranges.js';
import { changesOf, unpackArguments } from './task-arguments.js';
import { TaskContext } from './task-context.js';
import { resultRefused } from './task-errors.js';
import type {
  NumberedAnswer,
  TaskAnswer,
  TaskNotice,
  TaskOrder,
  TaskTraces,
  WorkerNotice,
} from './task-messages.js';
import { findTask } from './task-module.js';
import { type RanTimes, taskNumberOf } from './task-rings.js';
import { ThreadLocals } from './thread-locals.js';
import { type WorkerModule, WorkerModules } from './worker-modules.js';

export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

export interface TaskPort {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  /** Of a port: it delivers from now on. */
  start?(): void;
  /** Of a worker's global scope: an error that nobody has caught. */
  onerror?: ((...error: never) => unknown) | null;
}

/** A thread that tasks are sent to by its name. */
export interface ServedThread {
  readonly name: ThreadName;
  readonly queues: ThreadQueues;
}

type QueuedOrder = Extract<TaskOrder, { kind: 'run' }> & {
  readonly number: number;
  readonly queue: QueueName;
};

/** The order that an answer is to. */
interface Answered {
  readonly number: number;
  /** Of the task. */
  readonly name?: string;
}

type TaskCall = Exclude<TaskOrder, { kind: 'load' }>;

/** It has not begun, so it has left nothing behind. */
const failedBefore = (thrown: unknown): TaskAnswer => ({
  ...{ kind: 'failed', ...failureOf(thrown) },
  changes: [],
});

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/**
 * @param mayBlock whether this thread may sleep in `Atomics.wait`
 * @param whenReady messages are kept until then
 * @param named the thread has a name, and queues of its own
 * @returns ends it, for tests whose workers are no threads
 */
export function serveTasks(
  port: TaskPort,
  importModule: ImportModule,
  mayBlock: boolean,
  whenReady: Promise<void> | null = null,
  named: ServedThread | null = null,
): () => void {
  setMayBlock(mayBlock);
  const modules = new WorkerModules(importModule);
  const post = (message: unknown): void => port.postMessage(message);
  const starts = new StartsByMessage((message: WorkerNotice) => post(message));
  const locals = new ThreadLocals(() => post({ kind: 'locals' } satisfies WorkerNotice));
  let loop: WorkerLoop | undefined;
  let owned: OwnedJobs | undefined;
  let runnable: { stop(): void } | undefined;
  let memories: SharedMemories | undefined;
  let events: EventRing | null = null;
  let orders = 0;
  const thread = named && localThread(named.name, named.queues);

  const answer = (message: TaskAnswer, { number, name }: Answered): void => {
    try {
      post({ ...message, number });
    } catch (refusal) {
      post({
        kind: 'failed',
        ...failureOf(resultRefused(`the task "${name}"`, refusal)),
        ...{ changes: message.changes, ran: message.ran, number },
      } satisfies NumberedAnswer);
    }
  };
  const obey = async (order: TaskOrder & { readonly number: number }): Promise<TaskAnswer> => {
    if (order.kind === 'load') {
      await modules.load(order.module);
      return { kind: 'done', result: undefined, changes: [] };
    }
    return perform(order, await modules.load(order.module));
  };
  /** Loops over copies that are under way: nobody may want the rest of one, which it hears of between two calls. */
  const loops = new Map<number, { isOver: boolean }>();
  const turns = ({ number }: { readonly number: number }): Turn => {
    const under = { isOver: false };
    loops.set(number, under);
    return turnsOfLoop(() => {
      if (under.isOver) throw new StateError('task-over', 'Nobody waits for the rest of the range.');
    });
  };
  /** At once, up to the first promise. */
  const perform = (
    order: TaskCall & { readonly number: number },
    module: WorkerModule,
  ): TaskAnswer | Promise<TaskAnswer> => {
    const task = findTask(module.tasks, order.name, module.url) as (...call: unknown[]) => unknown;
    const starter = new MessageStarter(starts, module, order.set);
    const context = new TaskContext(order.name, starter, locals, thread);
    const { packed } = order;
    const before = packed?.copies.map((copy) => copy.slice(0)) ?? [];
    if (packed) starts.lend(packed, before);
    const args = packed ? unpackArguments(packed) : order.args;
    const began = performance.now();
    let ran: RanTimes | undefined;
    const noteRun = (): number => {
      const ended = performance.now();
      const indices = order.kind === 'share' ? 0 : order.end - order.begin;
      events?.add(TimelineEvent.task, taskNumberOf(module, order.name), began, ended, indices);
      const { timeOrigin } = performance;
      if (!events) ran = [timeOrigin + began, timeOrigin + ended];
      return ended - began;
    };
    const left = (): TaskTraces => ({ changes: packed ? changesOf(packed.copies, before) : [], ran });
    const done = (result: unknown, milliseconds?: number): TaskAnswer => ({
      ...{ kind: 'done', result, milliseconds },
      ...left(),
    });
    // What it has written by then stays written, as in shared memory.
    const failed = (thrown: unknown): TaskAnswer => ({ kind: 'failed', ...failureOf(thrown), ...left() });
    let result: unknown;
    try {
      result =
        order.kind === 'share'
          ? takeRanges(
              (...call) => callTask(task, ...call, context),
              args,
              order,
              packed ? turns(order) : undefined,
            )
          : callTask(task, args, order.begin, order.end, context);
    } catch (thrown) {
      noteRun();
      return failed(thrown);
    }
    const milliseconds = noteRun();
    if (isPromise(result)) {
      return Promise.resolve(result)
        .then(async (value) => {
          await context.finish();
          return done(value);
        })
        .catch(failed);
    }
    return context.finish()?.then(() => done(result), failed) ?? done(result, milliseconds);
  };
  const join = (notice: Extract<TaskNotice, { kind: 'join' }>): void => {
    const { buffer, shape, thread, identity, incarnation, order, sizes } = notice;
    const memory = new TaskMemory(shape, buffer);
    const queues = new SharedQueues(memory, thread);
    const mine = new SharedMemories(thread, post, incarnation);
    memories = mine;
    setLockHolder(
      new HeldLocks(memory.words, memory.heldAt(thread), identity, (each) => mine.numberOf(each)),
    );
    owned = new OwnedJobs(queues, memories);
    events = notice.events && new EventRing(notice.events);
    const startByMessage = starts.start.bind(starts);
    const isBusyElsewhere = (): boolean => orders > 0;
    loop = new WorkerLoop({
      ...{
        queues,
        memories,
        owned,
        spare: new SpareJobs(),
        modules,
        locals,
        order,
        sizes,
        post,
        startByMessage,
        mayBlock,
        isBusyElsewhere,
        events,
      },
    });
    void loop.serve();
  };

  const serve = async (order: TaskOrder & { readonly number: number }): Promise<void> => {
    orders++;
    try {
      answer(await obey(order), order);
    } catch (thrown) {
      answer(failedBefore(thrown), order);
    }
    loops.delete(order.number);
    orders--;
  };
  /** Of a named thread: the order stands in a queue until its turn, and the task runs in that very turn. */
  const queued = new Map<number, { isOver: boolean }>();
  const enqueue = (order: QueuedOrder, queues: ThreadQueues, module: WorkerModule): void => {
    const { number, priority = 'normal', queue } = order;
    const fail = (thrown: unknown): void => {
      queued.delete(number);
      answer(failedBefore(thrown), order);
    };
    const call = {
      priority,
      isOver: false,
      run: () => {
        queued.delete(number);
        post({ kind: 'begun', number } satisfies WorkerNotice);
        try {
          const performed = perform(order, module);
          if (performed instanceof Promise) performed.then((each) => answer(each, order), fail);
          else answer(performed, order);
        } catch (thrown) {
          fail(thrown);
        }
      },
      abandon: fail,
    };
    queued.set(number, call);
    queues.push(call, queue);
  };
  let arriving: Promise<void> | null = null;
  let hasLeft = false;
  /** Those whose module is being loaded, and which somebody still wants. */
  const awaited = new Set<number>();
  /** In the order in which they came, also where a module has to be loaded first. */
  const receive = (order: QueuedOrder, queues: ThreadQueues): void => {
    if (hasLeft) return;
    const known = arriving ? undefined : modules.get(order.module);
    if (known) {
      enqueue(order, queues, known);
      return;
    }
    awaited.add(order.number);
    const arrive = async (before: Promise<void> | null): Promise<void> => {
      await before;
      try {
        const module = await modules.load(order.module);
        if (awaited.delete(order.number)) enqueue(order, queues, module);
      } catch (thrown) {
        if (!awaited.delete(order.number)) return;
        answer(failedBefore(thrown), order);
      }
    };
    const arrival = arrive(arriving);
    arriving = arrival;
    void arrival.then(() => {
      if (arriving === arrival) arriving = null;
    });
  };
  const retract = (number: number): void => {
    const loop = loops.get(number);
    if (loop) loop.isOver = true;
    const call = queued.get(number);
    if (!call && !awaited.has(number)) return;
    if (call) call.isOver = true;
    queued.delete(number);
    awaited.delete(number);
    // Nobody reads it: the page's books are closed by it.
    answer({ kind: 'done', result: undefined, changes: [] }, { number });
  };
  /** Of a named thread, which itself may live on: what it has not begun goes to another one, and must not begin here as well. */
  const leave = (queues: ThreadQueues): void => {
    hasLeft = true;
    awaited.clear();
    for (const call of queued.values()) call.isOver = true;
    queued.clear();
    queues.shutDown();
  };
  const hear = ({ data }: MessageEvent<(TaskOrder & { readonly number: number }) | TaskNotice>) => {
    switch (data.kind) {
      case 'join':
        return join(data);
      case 'module':
        return modules.add(data);
      case 'memory':
        memories?.hear(data);
        return loop?.readAgain();
      case 'outcome':
        return owned?.hear(data);
      case 'startEnded':
        return starts.hear(data);
      case 'exit':
        // It takes no more jobs; what it has claimed the page enters again.
        loop?.end();
        if (named) leave(named.queues);
        locals.clear((thrown) => post({ kind: 'untracked', ...failureOf(thrown) } satisfies WorkerNotice));
        post({ kind: 'exited' } satisfies WorkerNotice);
        return;
      case 'runnable':
        runnable = serveRunnable(data, importModule, (message) => post(message));
        return;
      case 'stop':
        return runnable?.stop();
      case 'retract':
        return retract(data.number);
      case 'return':
      case 'shutDown':
        if (named) obeyRequest(named.queues, data);
        return;
    }
    if (named && data.kind === 'run' && data.queue) receive(data as QueuedOrder, named.queues);
    else void serve(data);
  };
  let early: MessageEvent[] | null = whenReady ? [] : null;
  port.addEventListener('message', (event) => (early ? early.push(event) : hear(event)));
  port.start?.();
  void whenReady?.then(() => {
    const kept = early ?? [];
    early = null;
    for (const event of kept) hear(event);
  });
  // The page will end this thread: what it would begin until then would be lost.
  port.onerror = () => loop?.end();
  return () => loop?.end();
}
