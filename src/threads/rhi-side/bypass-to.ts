import type { StreamWriter } from '../../core/streams/stream.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { ThreadOptions } from '../control/thread-options.js';
import type { OpenRhi, RhiSide } from './rhi-side.js';

/**
 * Returns the wrapper of a context whose commands execute in the call that records them, for a render side on the RHI's
 * thread (SYSTEMS H3). Undefined without the option `rhiBypass`.
 *
 *   renderer ─► context.draw(3) ─► record ─► publish ─► executor executes it ─► returns
 *
 * Errors of execution are reported as without bypass, but from within the call, so that a debugger's stack shows it.
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
