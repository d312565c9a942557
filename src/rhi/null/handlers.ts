/**
 * Handlers of the commands that have an effect without a GPU. All other commands, including new ones of an extended
 * table, are only checked against their rows and counted. If such a command creates a resource, `resources.ts` creates
 * it from the command's row.
 */
import { RhiError } from '../../core/errors.js';
import type { RhiOpcode } from '../commands/commands.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { handlerTable } from '../execute/backend.js';
import { runLocalCommand } from '../execute/local-commands.js';
import { checkedBundleAt } from '../record/draw-bundle.js';
import { clearHandlers } from './clears.js';
import { Contents } from './contents.js';
import type { Handler } from './null-backend.js';
import { transferHandlers } from './transfers.js';

const draw: Handler = ({ pass }, { words, fields }) => {
  pass.drawCalls++;
  pass.instances += words[fields + 1];
};
const drawIndirect: Handler = ({ pass }) => {
  pass.drawCalls++;
};

const handlersByName: { readonly [Name in keyof typeof RhiOpcode]?: Handler } = {
  beginFrame: ({ host }, { words, fields }) => host.beginFrame(words[fields], 0),
  endFrame: ({ host }) => host.endFrame(),
  beginDrawingViewport: ({ resources }, { words, fields }) =>
    resources.add(ResourceKind.texture, words[fields], 'viewport'),
  endDrawingViewport: ({ resources }, { words, fields }) => {
    resources.table(ResourceKind.texture).take(words[fields]);
  },
  outputVideoFrame: () => {
    throw new RhiError(
      'capability-missing',
      'The null backend draws nothing, so it has no video frames. Request video frames on a GPU.',
    );
  },
  localCommand: ({ options }, { words, fields }) =>
    runLocalCommand(words, fields, options.localCommands, null),

  // All other resources are created as their rows in the table specify (`resources.ts`).
  createFence: ({ fences, resources }, record) => fences.create(record, resources.frame),
  createDrawBundle: ({ resources }, { words, fields, fieldWords }) => {
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    // The words are copied, because the record's memory is reused.
    const own = new Uint32Array(commands);
    resources.add(ResourceKind.drawBundle, words[fields], label, { commands: own });
  },
  // `assumeNotInUse` has no handler, because lists complete at once without a GPU.
  destroyResource: ({ resources, host }, { words, fields }) => {
    const resource = resources.table(handleKind(words[fields])).take(words[fields]);
    if (resource !== undefined) host.release(resource);
  },
  // The handle keeps its number and gets new, zeroed memory (SYSTEMS M1).
  renameBuffer: ({ resources }, { words, fields }) => {
    resources.get(words[fields]).contents = new Contents();
  },

  ...transferHandlers,
  ...clearHandlers,
  signalFence: ({ fences }, record) => fences.signal(record),
  waitFence: ({ fences }, record) => fences.wait(record),

  draw,
  drawIndexed: draw,
  drawIndirect,
  drawIndexedIndirect: drawIndirect,
  executeDrawBundle: ({ resources, host }, { words, fields }) => {
    const { commands } = resources.get(words[fields]);
    for (const record of new RecordSequence(commands as Uint32Array<ArrayBuffer>)) host.execute(record);
  },
};

/** Handlers by opcode. */
export const handlers: readonly (Handler | undefined)[] = handlerTable(handlersByName);
