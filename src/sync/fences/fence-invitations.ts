/**
 * Membership in a group of fences. A thread that has the memory invites other threads, and evicts terminated threads.
 *
 *   by memory     invitation: the buffer, and a number that is claimed for the thread
 *   by messages   invitation: a port, whose other end a proxy serves on this thread
 */
import { OptionError, StateError } from '../../core/errors.js';
import { FenceProxy } from './fence-messages.js';
import {
  checkInvitation,
  checkInvite,
  type FenceInvitation,
  type InviteOptions,
  tooManyThreads,
} from './fence-options.js';
import type { FenceThread } from './fence-thread.js';

/** Implements `Fences.invite`. */
export function inviteThread(
  core: FenceThread,
  group: string,
  options: InviteOptions,
): { invitation: FenceInvitation; transfer: Transferable[] } {
  checkInvite(options);
  const { memory } = core;
  const { by = memory.isShared ? 'memory' : 'messages', mayOpenQueue = true } = options;
  if (core.uplink) {
    throw new StateError(
      'fence-create-elsewhere',
      `A thread can't be invited from ${core.name}, which does not share the memory of the group. Invite it on a thread that has the memory.`,
    );
  }
  if (by === 'memory' && !memory.isShared) {
    throw new StateError(
      'fence-create-elsewhere',
      `A thread can't be invited to share memory from ${core.name}, which has none to share. Invite it by messages.`,
    );
  }
  const thread = memory.claimThread();
  if (thread < 0) throw tooManyThreads();
  const generation = memory.generationOf(thread);
  if (by === 'memory') {
    const invitation = { group, memory: memory.buffer, thread, generation };
    return { invitation, transfer: [] };
  }
  const { port1, port2 } = core.environment.createChannel();
  const queue = mayOpenQueue ? memory.claimQueue(thread) : -1;
  core.proxies.set(thread, new FenceProxy(core, port1, thread, queue));
  const { capacity, queueCount } = memory;
  return {
    invitation: { group, port: port2, thread, generation, queue, capacity, queueCount },
    transfer: [port2 as unknown as Transferable],
  };
}

/** Implements `Fences.evict`. */
export function evictThread(core: FenceThread, group: string, invitation: FenceInvitation): void {
  checkInvitation('evict()', invitation);
  const { group: invited, port, thread = -1, generation } = invitation;
  if (invited !== group) {
    throw new OptionError(
      'fence-of-another-group',
      'The invitation belongs to another group of fences. Evict the thread from that group.',
    );
  }
  if (thread < 0 || core.memory.generationOf(thread) !== generation) return;
  const proxy = core.proxies.get(thread);
  if (core.uplink || (port && !proxy)) {
    throw new StateError(
      'fence-evict-elsewhere',
      `${core.name} can't take the thread out of its group. Evict it on the thread that invited it.`,
    );
  }
  if (proxy) proxy.close();
  else core.evict(thread);
}
