/** What fences of a group need of the place they run in. Tests put their own in its place. */
import type { PortLike } from '../../core/streams/carrier.js';
import { type Clock, systemClock } from '../deadline.js';
import { type FenceListening, systemListening } from './fence-listening.js';

export interface FenceEnvironment extends FenceListening {
  readonly clock: Clock;
  createChannel(): { readonly port1: PortLike; readonly port2: PortLike };
  /** Milliseconds since 1970, comparable between threads. */
  now(): number;
}

export const systemEnvironment: FenceEnvironment = {
  ...systemListening,
  clock: systemClock,
  createChannel: () => new MessageChannel(),
  now: () => performance.timeOrigin + performance.now(),
};
