/**
 * The worker's side of the pool: obeys one order after the other, and answers each once.
 *
 *   load ─► import(url) ─► tasks by name          run ─► task(args, begin, end) ─► done, with what it has changed
 *                                                 share ─► ranges from the counter until none is left ─► done
 */
import { errorToData, TaskError } from '../core/errors.js';
import { takeRanges } from './take-ranges.js';
import { changesOf, unpackArguments } from './task-arguments.js';
import { resultRefused } from './task-errors.js';
import type { TaskAnswer, TaskOrder } from './task-messages.js';
import { findTask, tasksOf, type UntypedTasks } from './task-module.js';

export type ImportModule = (url: string) => Promise<Readonly<Record<string, unknown>>>;

export interface TaskPort {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export function serveTasks(port: TaskPort, importModule: ImportModule): void {
  const modules = new Map<number, { readonly url: string; readonly tasks: UntypedTasks }>();
  const answer = (message: TaskAnswer): void => {
    try {
      port.postMessage(message);
    } catch (refusal) {
      const error = message.kind === 'failed' ? message.error : errorToData(resultRefused(refusal));
      port.postMessage({ kind: 'failed', thrown: undefined, error } satisfies TaskAnswer);
    }
  };
  const obey = async (order: TaskOrder): Promise<TaskAnswer> => {
    if (order.kind === 'load') {
      const { module, url } = order;
      modules.set(module, { url, tasks: tasksOf(await importModule(url), url) });
      return { kind: 'done', result: undefined, changes: [] };
    }
    const loaded = modules.get(order.module);
    if (!loaded) throw new TaskError('task-module-failed', 'Its module was not loaded here.');
    const task = findTask(loaded.tasks, order.name, loaded.url);
    if (order.kind === 'share') {
      await takeRanges(task, order.args, order);
      return { kind: 'done', result: undefined, changes: [] };
    }
    const { packed, begin, end } = order;
    const before = packed?.copies.map((copy) => copy.slice(0)) ?? [];
    const result = await task(packed ? unpackArguments(packed) : order.args, begin, end);
    return { kind: 'done', result, changes: packed ? changesOf(packed.copies, before) : [] };
  };
  let last = Promise.resolve();
  port.onmessage = ({ data }: MessageEvent<TaskOrder>) => {
    last = last.then(async () => {
      try {
        answer(await obey(data));
      } catch (thrown) {
        answer({ kind: 'failed', thrown, error: errorToData(thrown) });
      }
    });
  };
}
