/** What a group of fences can be asked for, and how it refuses. */

import { type FencepostError, OptionError, StateError } from '../../core/errors.js';
import { checkNames } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';
import type { PortLike } from '../../core/streams/carrier.js';
import type { FenceEnvironment } from './fence-environment.js';
import type { FenceDescriptor, FencePoint, WaitOptions } from './monitored-fence.js';

export interface JoinOptions {
  /** This thread, as a noun for messages: "the render worker". Default: "this thread". */
  readonly name?: string;
  /**
   * This thread has nothing to do but wait: a worker of a pool, without a device, canvas or queue. Only such a thread
   * may block. Default false.
   */
  readonly mayBlock?: boolean;
  /** Errors that belong to no call: a notification that names a destroyed fence. Default: to the console. */
  readonly onError?: (error: FencepostError) => void;
  /** @internal */
  readonly environment?: FenceEnvironment;
}

export interface FencesOptions extends JoinOptions {
  /** Shared fences at a time, 1 to 1024. Default 64. Private ones are not counted. */
  readonly capacity?: number;
  /** Queues with logs, 0 to 8. Default 4. */
  readonly queues?: number;
  /** A queue's notifications name the queue, whose log says the rest (SYSTEMS F11). Default false: the fences. */
  readonly namesQueues?: boolean;
  /** In shared memory. Default: where the page is cross-origin isolated and the browser has `Atomics.waitAsync`. */
  readonly shared?: boolean;
}

export interface FenceOptions {
  /** Default 0. */
  readonly initialValue?: number | bigint;
  /** 32: the value is kept in 32 bits, as a queue without 64-bit atomics keeps it (SYSTEMS F6). Default 64. */
  readonly bits?: 32 | 64;
  /** For this thread and its queues alone; many lie packed together. Default false. */
  readonly isPrivate?: boolean;
  /** Signalled and awaited by several devices (SYSTEMS F8). Default false. */
  readonly isCrossDevice?: boolean;
  /** `intra-device`: for the queues of one device only. Default `default`. */
  readonly type?: 'default' | 'intra-device';
}

export interface InviteOptions {
  /** Default: `memory` where this thread has it. By messages a thread without shared memory can join, too. */
  readonly by?: 'memory' | 'messages';
}

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

/** Of options that are true or false, where they are given. @throws OptionError `bad-fence-option` */
function checkFlags<Options extends object>(
  what: string,
  options: Options,
  ...names: readonly (keyof Options & string)[]
): void {
  for (const name of names) {
    const value = options[name];
    if (value === undefined || typeof value === 'boolean') continue;
    throw badOption(`The option "${name}" of ${what} is ${shownValue(value)}, not true or false`);
  }
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkAdoption(options: { readonly isMutual?: boolean }): void {
  checkNames('adopt()', options, unchecked('isMutual'));
  checkFlags('adopt()', options, 'isMutual');
}

/** Of `JoinOptions` and so on; the compiler's lists are in the tests. */
const JOIN_OPTIONS = unchecked('name|mayBlock|onError|environment');
const FENCES_OPTIONS = { ...JOIN_OPTIONS, ...unchecked('capacity|queues|namesQueues|shared') };
const CREATE_OPTIONS = unchecked('initialValue|bits|isPrivate|isCrossDevice|type');

/** @throws OptionError `option-unknown`, `option-invalid` */
export function checkFencesOptions(options: FencesOptions): void {
  checkNames('createFences', options, FENCES_OPTIONS);
  checkFlags('createFences', options, 'mayBlock', 'namesQueues', 'shared');
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkJoining(invitation: FenceInvitation, options: JoinOptions): void {
  checkInvitation('joinFences', invitation);
  checkNames('joinFences', options, JOIN_OPTIONS);
  checkFlags('joinFences', options, 'mayBlock');
}

/** @throws OptionError `bad-fence-option` */
export function checkInvitation(what: string, invitation: FenceInvitation): void {
  if (isObject(invitation) && typeof invitation.group === 'string') return;
  throw badOption(`${what} was given ${shownValue(invitation)}, not the invitation that invite() returns`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkInvite(options: InviteOptions): void {
  checkNames('invite()', options, unchecked('by'));
  const { by } = options;
  if (by === undefined || by === 'memory' || by === 'messages') return;
  throw badOption(`A thread is to be invited by ${shownValue(by)}, not by "memory" or "messages"`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkCreation(name: string, options: FenceOptions): void {
  if (typeof name !== 'string') throw badOption(`The name of a fence is ${shownValue(name)}, not a text`);
  checkNames('create()', options, CREATE_OPTIONS);
  checkFlags('create()', options, 'isPrivate', 'isCrossDevice');
  const { bits = 64, type = 'default' } = options;
  if (bits !== 32 && bits !== 64) {
    throw badOption(`The fence "${name}" was to have ${shownValue(bits)} bits, not 32 or 64`);
  }
  if (type !== 'default' && type !== 'intra-device') {
    throw badOption(
      `The fence "${name}" was to be of the type ${shownValue(type)}, not "default" or "intra-device"`,
    );
  }
}

/** @throws OptionError `bad-fence-option` */
export function checkDescriptor(descriptor: FenceDescriptor): void {
  if (isObject(descriptor) && typeof descriptor.group === 'string') return;
  throw badOption(`open() was given ${shownValue(descriptor)}, not the descriptor that share() returns`);
}

/** @throws OptionError `option-unknown`, `option-invalid`, `bad-fence-option` */
export function checkWait(points: readonly FencePoint[], options: WaitOptions): void {
  checkPoints(points);
  checkNames('The wait for a fence’s value', options, unchecked('deadline|signal'));
  const { deadline = 0, signal } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw badOption(`The signal of a wait is ${shownValue(signal)}, not an AbortSignal`);
  if (typeof deadline === 'number' && !Number.isNaN(deadline)) return;
  throw badOption(`The deadline of a wait is ${shownValue(deadline)}, not a number of milliseconds`);
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
