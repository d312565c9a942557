/**
 * Messages between threads about fences that the page shares with them. `sync/fences` carries the values
 * themselves.
 *
 *   main   ── FencesConfig ──► render, RHI        main ◄── signalling, error ── render, RHI
 *   render ── BindRequest ───► RHI                render ◄── bound ──────────── RHI    if these are two threads
 */
import type { ErrorData } from '../../core/errors.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import type { FenceDescriptor } from '../../sync/fences/monitored-fence.js';

/** Lets a thread join the page's fences. */
export interface FencesConfig {
  readonly invitation: FenceInvitation;
  /** Name of the thread in error messages, such as "the render thread". */
  readonly name: string;
  readonly port: MessagePort;
  /** Fence on which the thread that owns the device counts completed frames. */
  readonly progress: FenceDescriptor;
}

/** Messages to the main thread. */
export type FencesNotice =
  /** The GPU will signal the value. If the sending thread can no longer signal it, the main thread does. */
  | { readonly kind: 'signalling'; readonly fence: FenceDescriptor; readonly value: number | bigint }
  | { readonly kind: 'error'; readonly error: ErrorData };

/** Sent by the render thread. RHI commands with this handle refer to this fence. */
export interface BindRequest {
  readonly handle: FenceHandle;
  readonly fence: FenceDescriptor;
}

export interface BindAnswer {
  readonly handle: FenceHandle;
  readonly error: ErrorData | null;
}
