/** The part that answers what is asked of a thread beside frames, loaded with the first question. */
import { exposeThread } from '../control/comlink-link.js';
import { createThreadApi, type ThreadSides } from '../control/thread-api.js';
import type { LoadPart } from '../control/thread-parts.js';

export { createThreadApi };

/** Answers a worker's calls through the port from now on, those that wait in it first. */
export function serveThread(thread: ThreadSides, loadPart: LoadPart, port: MessagePort): void {
  exposeThread(createThreadApi(thread, loadPart), port);
}
