/**
 * The worker's side of the pool: obeys orders and answers each once; where memory is shared, it takes
 * jobs from there between them (`shared/worker-loop.ts`).
 *
 *   load ─► import(url) ─► tasks by name          run ─► task(args, begin, end) ─► done, with what it has changed
 *                                                 share ─► ranges from the counter until none is left ─► done
 */
import { errorToData } from '../core/errors.js';
import { HeldLocks, setLockHolder } from './blocking/lock-holder.js';
import { MessageStarter, StartsByMessage } from './message-starter.js';
import { OwnedJobs } from './shared/owned-jobs.js';
import { SharedMemories } from './shared/shared-memories.js';
import { SharedQueues } from './shared/shared-queues.js';
import { SpareJobs } from './shared/spare-jobs.js';
import { TaskMemory } from './shared/task-memory.js';
import { WorkerLoop } from './shared/worker-loop.js';
import { takeRanges } from './take-ranges.js';
import { changesOf, unpackArguments } from './task-arguments.js';
import { TaskContext } from './task-context.js';
import { resultRefused } from './task-errors.js';
import type { NumberedAnswer, TaskAnswer, TaskNotice, TaskOrder, WorkerNotice } from './task-messages.js';
import { findTask } from './task-module.js';
import { WorkerModules } from './worker-modules.js';

export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

export interface TaskPort {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  /** Of a port: it delivers from now on. */
  start?(): void;
  /** Of a worker's global scope: an error that nobody has caught. */
  onerror?: ((...error: never) => unknown) | null;
}

/**
 * @param mayBlock whether this thread may sleep in `Atomics.wait`
 * @param whenReady messages are kept until then
 * @returns ends it, for tests whose workers are no threads
 */
export function serveTasks(
  port: TaskPort,
  importModule: ImportModule,
  mayBlock: boolean,
  whenReady: Promise<void> | null = null,
): () => void {
  const modules = new WorkerModules(importModule);
  const post = (message: unknown): void => port.postMessage(message);
  const starts = new StartsByMessage((message: WorkerNotice) => post(message));
  let loop: WorkerLoop | undefined;
  let owned: OwnedJobs | undefined;
  let memories: SharedMemories | undefined;
  let orders = 0;

  const answer = (message: TaskAnswer, number: number): void => {
    try {
      post({ ...message, number });
    } catch (refusal) {
      const error = message.kind === 'failed' ? message.error : errorToData(resultRefused(refusal));
      post({ kind: 'failed', thrown: undefined, error, number } satisfies NumberedAnswer);
    }
  };
  const obey = async (order: TaskOrder): Promise<TaskAnswer> => {
    if (order.kind === 'load') {
      await modules.load(order.module);
      return { kind: 'done', result: undefined, changes: [] };
    }
    const module = await modules.load(order.module);
    const task = findTask(module.tasks, order.name, module.url) as (...call: unknown[]) => unknown;
    const context = new TaskContext(order.name, new MessageStarter(starts, module, order.set));
    const { packed } = order;
    const before = packed?.copies.map((copy) => copy.slice(0)) ?? [];
    if (packed) starts.lend(packed, before);
    const args = packed ? unpackArguments(packed) : order.args;
    const result =
      order.kind === 'share'
        ? await takeRanges((...call) => task(...call, context), args, order)
        : await task(args, order.begin, order.end, context);
    await context.finish();
    return { kind: 'done', result, changes: packed ? changesOf(packed.copies, before) : [] };
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
    const startByMessage = starts.start.bind(starts);
    const isBusyElsewhere = (): boolean => orders > 0;
    loop = new WorkerLoop({
      ...{
        queues,
        memories,
        owned,
        spare: new SpareJobs(),
        modules,
        order,
        sizes,
        post,
        startByMessage,
        mayBlock,
        isBusyElsewhere,
      },
    });
    void loop.serve();
  };

  const serve = async (order: TaskOrder & { readonly number: number }): Promise<void> => {
    orders++;
    try {
      answer(await obey(order), order.number);
    } catch (thrown) {
      answer({ kind: 'failed', thrown, error: errorToData(thrown) }, order.number);
    }
    orders--;
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
    }
    void serve(data);
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
