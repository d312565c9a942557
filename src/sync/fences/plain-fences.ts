/**
 * Connects plain fences to native fences of a group (SYSTEMS F12, F8). A plain fence belongs to a single thread: it is
 * a `PrivateFence`, or a queue's counter. A native fence is a `MonitoredFence`. Links and commands accept both kinds.
 * `Fences.adopt` joins a plain fence to a new native fence:
 *
 *   rhi.completed ── every change ──► fence of the group ──► waiters on other threads
 *                 ◄── if mutual ─────                        one notification releases the waiters of both fences
 */
import type { SignallableFence, WaitableFence } from '../waitable.js';
import type { FenceThread } from './fence-thread.js';
import type { MonitoredFence } from './monitored-fence.js';

/** A fence that only its own thread has. */
export type PlainFence = WaitableFence &
  Partial<Pick<SignallableFence, 'signal' | 'fail'>> & {
    /** Releases the waiters of a value that another thread has raised. */
    look?(): void;
  };

/**
 * Makes the native fence follow the plain fence until the native fence is closed.
 * @param isMutual whether the plain fence follows the native fence, too; equal values change nothing, so this can't
 *   loop
 */
export function joinPlain(
  core: FenceThread,
  native: MonitoredFence,
  plain: PlainFence,
  isMutual: boolean,
): void {
  const { local } = native;
  let endPlain = (): void => {};
  const toNative = (): void => {
    if (local.isClosed) {
      endPlain();
      core.plains.delete(plain);
    } else if (plain.error) {
      native.fail(plain.error);
    } else {
      core.signalLocal(local, plain.value);
    }
  };
  endPlain = plain.subscribe(toNative);
  core.plains.add(plain);
  if (isMutual) {
    native.subscribe(() => {
      const { error, value64 } = native;
      if (error) plain.fail?.(error);
      // Counters of frames and lists accept only numbers.
      else plain.signal?.(value64 <= Number.MAX_SAFE_INTEGER ? Number(value64) : value64);
    });
  }
  toNative();
}
