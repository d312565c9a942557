/**
 * Messages between threads about fences that the page shares with them. The values themselves travel by `sync/fences`.
 *
 *   main   ── FencesConfig ──► render, RHI        main ◄── signalling, error ── render, RHI
 *   render ── BindRequest ───► RHI                render ◄── bound ──────────── RHI    where these are two threads
 */
import type { ErrorData } from '../../core/errors.js';
import type { FenceHandle } from '../../rhi/commands/descriptors.js';
import type { FenceInvitation } from '../../sync/fences/fence-options.js';
import type { FenceDescriptor } from '../../sync/fences/monitored-fence.js';

/** With this a thread joins the page's fences. */
export interface FencesConfig {
  readonly invitation: FenceInvitation;
  /** As in messages: "the render thread". */
  readonly name: string;
  readonly port: MessagePort;
}

/** To the main thread. */
export type FencesNotice =
  /** The GPU will signal it; the main thread does so if this thread can't any more. */
  | { readonly kind: 'signalling'; readonly fence: FenceDescriptor; readonly value: number | bigint }
  | { readonly kind: 'error'; readonly error: ErrorData };

/** From the render thread: commands with this handle mean that fence. */
export interface BindRequest {
  readonly handle: FenceHandle;
  readonly fence: FenceDescriptor;
}

export interface BindAnswer {
  readonly handle: FenceHandle;
  readonly error: ErrorData | null;
}
