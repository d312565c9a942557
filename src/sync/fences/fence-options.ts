/** Options of groups of fences, with the checks of their values. */

import { type FencepostError, OptionError, StateError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Member, Optional, Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  func,
  member,
  oneOf,
  optional,
  signal,
  text,
  wholeFrom,
} from '../../core/options/members.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';
import type { PortLike } from '../../core/streams/carrier.js';
import { FenceFlag } from './cells/fence-cell.js';
import type { FenceEnvironment } from './fence-environment.js';
import { MAXIMUM_QUEUES } from './fence-memory.js';
import type { FenceDescriptor, FencePoint, MonitoredFence } from './monitored-fence.js';

/** Creates a row of the tables below: an optional member whose errors have the code `bad-fence-option`. */
const row = <M extends Member>(of: M): M & Optional => optional({ ...of, code: 'bad-fence-option' });

const JOIN_OPTIONS = {
  /** This thread, as a noun for messages: "the render worker". Default: "this thread". */
  name: row(text()),
  /**
   * Declares that this thread may block, because it has nothing else to do: a pool worker without a device, canvas or
   * queue. Default false.
   */
  mayBlock: row(boolean()),
  /**
   * Receives errors that belong to no call, such as a lost message or a notification of a destroyed fence. Default:
   * logs to the console.
   */
  onError: row(func<(error: FencepostError) => void>()),
  /** @internal */
  environment: row(anything<FenceEnvironment>()),
};

export type JoinOptions = Shaped<typeof JOIN_OPTIONS>;

export const FENCES_OPTIONS = {
  ...JOIN_OPTIONS,
  /** Largest number of shared fences at a time, 1 to 1024. Default 64. Private fences are not counted. */
  capacity: row(wholeFrom(1, 1024)),
  /** Number of queues with logs, 0 to 8. Default 4. */
  queues: row(wholeFrom(0, MAXIMUM_QUEUES)),
  /**
   * Whether a queue's notifications name the queue, whose log then names the fences (SYSTEMS F11). Default false:
   * notifications name the fences.
   */
  namesQueues: row(boolean()),
  /**
   * Whether the group uses shared memory. Default: true if the page is cross-origin isolated and the browser has
   * `Atomics.waitAsync` (`canShareFences`).
   */
  shared: row(boolean()),
};

export type FencesOptions = Shaped<typeof FENCES_OPTIONS>;

const CREATE_OPTIONS = {
  /** Initial value of the fence. Default 0. */
  initialValue: row(anything<number | bigint>()),
  /** Size of the value: 32 or 64 bits. 32 serves queues without 64-bit atomics (SYSTEMS F6). Default 64. */
  bits: row(member<32 | 64>((value) => value === 32 || value === 64, '32 or 64')),
  /** Whether only this thread and its queues use the fence; private fences are packed together. Default false. */
  isPrivate: row(boolean()),
  /** Whether several devices signal the fence and wait for it (SYSTEMS F8). Default false. */
  isCrossDevice: row(boolean()),
  /** `intra-device` restricts the fence to the queues of one device. Default `default`. */
  type: row(oneOf('default|intra-device')),
  /**
   * Whether only queues raise the fence, to count their progress (SYSTEMS F7). All threads can wait for it, but
   * `signal` and `fail` of handles throw. Default false.
   */
  isProgress: row(boolean()),
};

export type FenceOptions = Shaped<typeof CREATE_OPTIONS>;

const INVITE_OPTIONS = {
  /**
   * Way in which the invited thread takes part. Default: `memory` if this thread has shared memory, otherwise
   * `messages`. A thread without shared memory can join by messages.
   */
  by: row(oneOf('memory|messages')),
  /**
   * Whether a queue is reserved for a thread that joins by messages. Default true. Pass false for threads without a
   * device, because the group has few queues.
   */
  mayOpenQueue: row(boolean()),
};

export type InviteOptions = Shaped<typeof INVITE_OPTIONS>;

const WAIT_OPTIONS = {
  /**
   * Time at which the wait ends with `wait-timed-out`, in milliseconds on this thread's `performance.now()`. Default:
   * the wait has no deadline.
   */
  deadline: row(
    member<number>((value) => typeof value === 'number' && !Number.isNaN(value), 'a number of milliseconds'),
  ),
  /** Ends the wait with the signal's reason when it is aborted. A blocking wait ignores it. */
  signal: row(signal()),
};

export type WaitOptions = Shaped<typeof WAIT_OPTIONS>;

const ADOPT_OPTIONS = { isMutual: row(boolean()) };

/**
 * An invitation for one thread, which passes it to `joinFences`. It reserves a thread number of the group at once.
 * Post it with the `transfer` list that `invite` returns. Keep it if the invited thread may be terminated, because
 * `Fences.evict` needs it.
 */
export interface FenceInvitation {
  readonly group: string;
  readonly memory?: ArrayBufferLike;
  readonly port?: PortLike;
  readonly thread?: number;
  readonly generation?: number;
  readonly queue?: number;
  readonly capacity?: number;
  readonly queueCount?: number;
}

/** Counts of fence events on this thread. */
export interface FenceCounts {
  /** Notifications received. */
  notifications: number;
  /**
   * Scans of all fences that the thread has open. A scan follows a notification that names nothing, a gap in a queue's
   * log, or a call of `Fences.scan`.
   */
  scans: number;
  /** Fences checked because a notification named them. */
  named: number;
  /** How often this thread has rung the bell of another thread's mailbox. */
  rings: number;
}

export function checkCount(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw badOption(`${option} is ${value}, not a whole number from ${least} to ${most}`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkAdoption(options: Shaped<typeof ADOPT_OPTIONS>): void {
  checkOptions('adopt()', options, ADOPT_OPTIONS);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkJoining(invitation: FenceInvitation, options: JoinOptions): void {
  checkInvitation('joinFences', invitation);
  checkOptions('joinFences', options, JOIN_OPTIONS);
}

/** @throws OptionError `bad-fence-option` */
export function checkInvitation(what: string, invitation: FenceInvitation): void {
  if (isObject(invitation) && typeof invitation.group === 'string') return;
  throw badOption(`${what} was given ${shownValue(invitation)}, not the invitation that invite() returns`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkInvite(options: InviteOptions): void {
  checkOptions('invite()', options, INVITE_OPTIONS);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkCreation(name: string, options: FenceOptions): void {
  if (typeof name !== 'string') throw badOption(`The name of a fence is ${shownValue(name)}, not a text`);
  checkOptions(`create("${name}")`, options, CREATE_OPTIONS);
}

/** @throws OptionError `bad-fence-option` */
export function checkDescriptor(descriptor: FenceDescriptor): void {
  if (isObject(descriptor) && typeof descriptor.group === 'string') return;
  throw badOption(`open() was given ${shownValue(descriptor)}, not the descriptor that share() returns`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkWait(points: readonly FencePoint[], options: WaitOptions): void {
  checkPoints(points);
  checkOptions('a wait for fences', options, WAIT_OPTIONS);
}

/** Checks the points of a signal or wait. @throws OptionError `bad-fence-option` */
export function checkPoints(points: readonly FencePoint[]): void {
  if (Array.isArray(points) && points.every(isPoint)) return;
  throw badOption('The points are not a list of fences with their values: [{ fence, value }]');
}

const isPoint = (point: FencePoint | undefined): boolean => point?.fence?.local !== undefined;

export function badOption(what: string): OptionError {
  return new OptionError('bad-fence-option', `${what}. Correct the option.`);
}

export function tooManyThreads(): StateError {
  return new StateError(
    'too-many-fence-threads',
    'The group of fences has 16 threads already. Call dispose() on the fences of a thread that no longer needs them, and evict terminated threads.',
  );
}

export function fenceGone(name: string): StateError {
  return new StateError(
    'fence-gone',
    `The fence "${name}" was destroyed: its last handle was closed before this thread opened it. Keep a handle open until then.`,
  );
}

/** @internal @throws StateError `fence-of-queue` for a fence that counts a queue's progress */
export function checkSignallable({ name, local }: MonitoredFence): void {
  if ((local.flags & FenceFlag.isProgress) === 0) return;
  throw new StateError(
    'fence-of-queue',
    `The fence "${name}" counts the progress of a queue, and only the queue raises it. Signal a fence of your own.`,
  );
}

export function fenceClosed(name: string): StateError {
  return new StateError(
    'fence-closed',
    `The handle to the fence "${name}" was closed on this thread. Open the fence again to use it.`,
  );
}
