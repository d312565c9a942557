/** The worker of a task system's pool: loads task modules by their address, and runs their tasks (`src/tasks/`). */
import { serveTasks } from '../tasks/serve-tasks.js';
import { importByAddress } from './control/import-by-address.js';

serveTasks(self as unknown as Parameters<typeof serveTasks>[0], importByAddress, true);
