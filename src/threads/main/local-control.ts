import type { ThreadSides } from '../control/thread-api.js';
import { LocalPeer, PeerControl } from '../control/thread-control.js';
import { loadLocalPart } from './local-parts.js';

/** How this thread is asked where it is all threads (`single`): loaded with the first question. */
export async function controlThisThread(thread: ThreadSides): Promise<PeerControl> {
  const { createThreadApi } = await loadLocalPart('control');
  return new PeerControl([new LocalPeer(createThreadApi(thread, loadLocalPart))]);
}
