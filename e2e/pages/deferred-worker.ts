/** A worker that records deferred lists. It has neither a device nor a stream. */
import { type CommandList, DeferredContext, transferablesOf } from 'fencepost/rhi';
import { recordQuads, type WorkerRequest } from './deferred-draws.js';

const context = new DeferredContext();

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  if ('recycle' in data) {
    context.recycle(data.recycle as CommandList);
    return;
  }
  context.begin(data.record as CommandList);
  recordQuads(context, data.range);
  if (data.lastUseOf !== null) context.destroy(data.lastUseOf);
  const list = context.finish();
  self.postMessage({ list, pagesMade: context.pageCounts.made }, { transfer: transferablesOf(list) });
};
