/**
 * Waits for a fence, round by round, and records the times of its wake-ups. The message selects the kind of wait.
 */

import { type FenceDescriptor, type FenceInvitation, joinFences } from '../../src/rhi.js';
import { type FenceCarrier, ReceivedFences } from '../../src/sync/fences/fence-link.js';

export interface LatencyJob {
  readonly kind: 'blocks' | 'waits' | 'linked';
  readonly rounds: number;
  readonly invitation: FenceInvitation;
  readonly ping: FenceDescriptor;
  readonly pong: FenceDescriptor;
  /** The receiving end of a link that the page created for one fence. */
  readonly carrier: FenceCarrier;
}

const now = (): number => performance.timeOrigin + performance.now();

self.onmessage = async ({ data }: MessageEvent<LatencyJob>) => {
  const { kind, rounds, carrier } = data;
  const awake: number[] = [];
  const fences = joinFences(data.invitation, { name: 'the waiting worker', mayBlock: kind === 'blocks' });
  const [ping, pong] = [fences.open(data.ping), fences.open(data.pong)];
  const [linked] = new ReceivedFences(carrier).fences;
  self.postMessage('ready');
  for (let round = 1; round <= rounds; round++) {
    if (kind === 'blocks') ping.block(round);
    else if (kind === 'waits') await ping.whenReached(round);
    else await linked.whenReached(round);
    awake.push(now());
    pong.signal(round);
  }
  fences.dispose();
  self.postMessage(awake);
};
