import type { StreamWriter } from '../../core/streams/stream.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ThreadOptions } from '../control/thread-options.js';
import type { OpenRhi, RhiSide } from './rhi-side.js';

/**
 * Returns a function that wraps a context, so that each command executes in the call that records it (SYSTEMS H3).
 * The render side must run on the RHI's thread. Returns undefined without the option `rhiBypass`.
 *
 *   renderer ─► context.draw(3) ─► record ─► publish ─► executor executes it ─► returns
 *
 * Errors of execution are reported as without bypass. They occur within the recording call, so that a debugger's stack
 * shows that call.
 */
export function bypassTo(
  rhi: RhiSide,
  writer: StreamWriter,
  { rhiBypass }: ThreadOptions,
  tools: OpenRhi['tools'],
): ((context: ImmediateContext) => ImmediateContext) | undefined {
  if (!rhiBypass || !tools) return undefined;
  const execute = (): void => {
    writer.publish();
    rhi.executor.pump();
  };
  return (context) => tools.executeAtOnce(context, execute);
}
