import { parentPort } from 'node:worker_threads';
import { CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import { type CommandList, transferablesOf } from './command-list.js';
import { type RecordRequest, recordCalls } from './record-calls.test-support.js';

/** The context of this worker. The worker has no stream, handle allocator or device. */
const context = new DeferredContext();

parentPort?.on('message', (message: RecordRequest | { recycle: CommandList }) => {
  if ('recycle' in message) {
    context.recycle(message.recycle);
    return;
  }
  context.begin(message.record as CommandList);
  recordCalls(context, message.from, message.to);
  const list = context.finish();
  parentPort?.postMessage({ list, pages: context.pageCounts }, transferablesOf(list) as never);
});
