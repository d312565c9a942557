/** Draw bundles: their records are executed as if they stood in the list. */
import { ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { checkedBundleAt } from '../record/draw-bundle.js';
import type { Handler } from './parts.js';

export const bundleHandlers = {
  createDrawBundle: ({ resources }, { words, fields, fieldWords }) => {
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    // A copy that lies in no shared memory.
    const own = new Uint32Array(commands);
    resources.add(ResourceKind.drawBundle, words[fields], label, { commands: own });
  },
  executeDrawBundle: ({ resources, host }, { words, fields }) => {
    const { commands } = resources.get(words[fields]);
    const records = new RecordSequence(commands as Uint32Array<ArrayBuffer>);
    while (records.next()) host.execute(records);
  },
} satisfies Record<string, Handler>;
