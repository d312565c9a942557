/**
 * Plain fences, which one thread alone has (`PrivateFence`, or a queue's counter), opened as native ones of a group, and the
 * reverse (SYSTEMS F12, F8). A native fence is a plain one as it stands: links and commands take either. The other way round
 * the two are joined:
 *
 *   rhi.completed ── every change ──► fence of the group ──► waiters on other threads
 *                 ◄── if wanted ─────                        one notification here releases the waiters of both
 */
import type { SignallableFence, WaitableFence } from '../waitable.js';
import type { FenceThread } from './fence-thread.js';
import type { MonitoredFence } from './monitored-fence.js';

/** A fence that only its thread knows. */
export type PlainFence = WaitableFence &
  Partial<Pick<SignallableFence, 'signal' | 'fail'>> & {
    /** Releases whom a value releases that another thread has raised. */
    look?(): void;
  };

/**
 * The native one goes by the plain one's changes from now on, until it is closed.
 * @param isMutual the plain one goes by the native one's, too; equal values change nothing, so that this ends
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
      // What counts frames and lists takes numbers.
      else plain.signal?.(value64 <= Number.MAX_SAFE_INTEGER ? Number(value64) : value64);
    });
  }
  toNative();
}
