/** What a group of fences can be asked for, and how it refuses. */

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
import type { FenceEnvironment } from './fence-environment.js';
import { MAXIMUM_QUEUES } from './fence-memory.js';
import type { FenceDescriptor, FencePoint } from './monitored-fence.js';

/** A row whose errors have the code of all options of fences. */
const row = <M extends Member>(of: M): M & Optional => optional({ ...of, code: 'bad-fence-option' });

const JOIN_OPTIONS = {
  /** This thread, as a noun for messages: "the render worker". Default: "this thread". */
  name: row(text()),
  /**
   * This thread has nothing to do but wait: a worker of a pool, without a device, canvas or queue. Only such a thread
   * may block. Default false.
   */
  mayBlock: row(boolean()),
  /** Errors that belong to no call: a notification that names a destroyed fence. Default: to the console. */
  onError: row(func<(error: FencepostError) => void>()),
  /** @internal */
  environment: row(anything<FenceEnvironment>()),
};

export type JoinOptions = Shaped<typeof JOIN_OPTIONS>;

export const FENCES_OPTIONS = {
  ...JOIN_OPTIONS,
  /** Shared fences at a time, 1 to 1024. Default 64. Private ones are not counted. */
  capacity: row(wholeFrom(1, 1024)),
  /** Queues with logs, 0 to 8. Default 4. */
  queues: row(wholeFrom(0, MAXIMUM_QUEUES)),
  /** A queue's notifications name the queue, whose log says the rest (SYSTEMS F11). Default false: the fences. */
  namesQueues: row(boolean()),
  /** In shared memory. Default: where the page is cross-origin isolated and the browser has `Atomics.waitAsync`. */
  shared: row(boolean()),
};

export type FencesOptions = Shaped<typeof FENCES_OPTIONS>;

const CREATE_OPTIONS = {
  /** Default 0. */
  initialValue: row(anything<number | bigint>()),
  /** 32: the value is kept in 32 bits, as a queue without 64-bit atomics keeps it (SYSTEMS F6). Default 64. */
  bits: row(member<32 | 64>((value) => value === 32 || value === 64, '32 or 64')),
  /** For this thread and its queues alone; many lie packed together. Default false. */
  isPrivate: row(boolean()),
  /** Signalled and awaited by several devices (SYSTEMS F8). Default false. */
  isCrossDevice: row(boolean()),
  /** `intra-device`: for the queues of one device only. Default `default`. */
  type: row(oneOf('default|intra-device')),
};

export type FenceOptions = Shaped<typeof CREATE_OPTIONS>;

const INVITE_OPTIONS = {
  /** Default: `memory` where this thread has it. By messages a thread without shared memory can join, too. */
  by: row(oneOf('memory|messages')),
};

export type InviteOptions = Shaped<typeof INVITE_OPTIONS>;

const WAIT_OPTIONS = {
  /**
   * When the wait ends with `wait-timed-out`: a point on this thread's `performance.now()`, in milliseconds, which
   * nothing moves. Default: never.
   */
  deadline: row(
    member<number>((value) => typeof value === 'number' && !Number.isNaN(value), 'a number of milliseconds'),
  ),
  /** Ends the wait when it is aborted, with its reason. A wait that blocks hears of none. */
  signal: row(signal()),
};

export type WaitOptions = Shaped<typeof WAIT_OPTIONS>;

const ADOPT_OPTIONS = { isMutual: row(boolean()) };

/**
 * What the other thread passes to `joinFences`; for one thread. Post it with its `transfer`, and keep it where that thread
 * may be terminated: `Fences.evict` wants it. Its place in the group is taken from now on.
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

/** How often what happened on this thread. */
export interface FenceCounts {
  /** Notifications heard, */
  notifications: number;
  /** of which named nothing, or whose log had overflowed: everything was looked at. */
  scans: number;
  /** Fences looked at because a notification named them. */
  named: number;
  /** Other threads rung by signals from here. */
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

/** Per signal. @throws OptionError `bad-fence-option` */
export function checkPoints(points: readonly FencePoint[]): void {
  if (Array.isArray(points) && points.every(isPoint)) return;
  throw badOption('Fences are named in a list, each with its value: [{ fence, value }]');
}

const isPoint = (point: FencePoint | undefined): boolean => point?.fence?.local !== undefined;

export function badOption(what: string): OptionError {
  return new OptionError('bad-fence-option', `${what}. Correct the option.`);
}

export function tooManyThreads(): StateError {
  return new StateError(
    'too-many-fence-threads',
    'The group of fences has 16 threads already. Dispose of the fences of a thread that needs them no more, and evict threads that were terminated.',
  );
}

export function fenceGone(name: string): StateError {
  return new StateError(
    'fence-gone',
    `The fence "${name}" is gone: its last handle was closed before it was opened here. Keep one open until then.`,
  );
}

export function fenceClosed(name: string): StateError {
  return new StateError(
    'fence-closed',
    `The handle to the fence "${name}" was closed on this thread. Open the fence again to use it.`,
  );
}
