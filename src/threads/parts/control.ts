/**
 * The part that answers what is asked of a thread beside frames, and tells what its streams wait for in vain: loaded with the
 * first question, or with the first attachment that is late.
 */

import { watchAttachments } from '../../sync/attachment-watch.js';
import { exposeThread } from '../control/comlink-link.js';
import { createThreadApi, type ThreadSides } from '../control/thread-api.js';
import type { LoadPart } from '../control/thread-parts.js';

export { createThreadApi, watchAttachments };

/** Answers a worker's calls through the port from now on, those that wait in it first. */
export function serveThread(thread: ThreadSides, loadPart: LoadPart, port: MessagePort): void {
  exposeThread(createThreadApi(thread, loadPart), port);
}
