/** Answers the call that opens a thread for tasks sent to it by name (SYSTEMS T2). */
import { ThreadQueues } from '../../tasks/named/thread-queues.js';
import { serveTasks } from '../../tasks/worker/serve-tasks.js';
import type { ThreadApi } from '../control/protocol.js';
import { importByAddress } from '../files/import-by-address.js';
import type { ThreadSides } from './thread-api.js';

export function createTaskCalls(thread: ThreadSides): Pick<ThreadApi, 'serveTasks'> {
  return {
    /** The thread never blocks: frames come between tasks. */
    async serveTasks({ name, port }) {
      serveTasks(port, importByAddress, false, null, {
        name,
        queues: new ThreadQueues(),
        events: thread.events,
      });
    },
  };
}
