/** The part for tasks on the render and the RHI thread (SYSTEMS T2), loaded when one is sent there first. */

import type { EventRing } from '../../core/event-ring.js';
import { ThreadQueues } from '../../tasks/named/thread-queues.js';
import { serveTasks } from '../../tasks/serve-tasks.js';
import { importByAddress } from '../control/import-by-address.js';
import type { TaskThreadConfig } from '../main/task-threads.js';

/**
 * Answers the task system behind the port. The thread never blocks: frames come between tasks.
 * @param events of the thread, where its tasks are noted
 */
export function serveNamedThread({ name, port }: TaskThreadConfig, events: EventRing): void {
  serveTasks(port, importByAddress, false, null, { name, queues: new ThreadQueues(), events });
}
