/**
 * Commands about the list rather than the GPU: scenes, queues, transitions, debugging. Answers false when the
 * command is not one of these.
 */
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { ExecutorParts } from '../extension.js';

export function executeFrameCommand(
  { opcode, words, fields }: StreamReader,
  { pass, timer }: ExecutorParts,
): boolean {
  switch (opcode) {
    // WebGPU has one queue, in order; the timeline shows the declared one (SYSTEMS H6).
    case RhiOpcode.setQueue:
      if (timer) timer.queue = words[fields] as number;
      break;
    // WebGPU places its barriers itself: the validation layer reads them.
    case RhiOpcode.transition:
      break;
    case RhiOpcode.debugBreak:
      // biome-ignore lint/suspicious/noDebugger: it is what this command is for
      debugger;
      break;
    case RhiOpcode.invalidateCachedState:
      // As at the pass's begin: nothing counts as set.
      if (pass.render !== null) pass.beginRender(pass.render);
      else if (pass.isOpen) pass.beginCompute(pass.encoder as GPUComputePassEncoder | null);
      break;
    default:
      return false;
  }
  return true;
}
