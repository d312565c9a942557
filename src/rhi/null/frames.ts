/** Frames, the viewport, and what reaches out of the list. */
import { RhiError } from '../../core/errors.js';
import { ResourceKind } from '../commands/handles.js';
import { runLocalCommand } from '../host/local-commands.js';
import type { Handler } from './parts.js';

export const frameHandlers = {
  beginFrame: ({ host }, { words, fields }) => host.beginFrame(words[fields]),
  endFrame: ({ host }) => host.endFrame(),
  beginDrawingViewport: ({ resources }, { words, fields }) =>
    resources.add(ResourceKind.texture, words[fields], 'viewport'),
  endDrawingViewport: ({ resources }, { words, fields }) => {
    resources.table(ResourceKind.texture).take(words[fields]);
  },
  outputVideoFrame: () => {
    throw new RhiError(
      'capability-missing',
      'The null backend draws nothing, so it has no video frames. Ask for them on a GPU.',
    );
  },
  localCommand: ({ options }, { words, fields }) =>
    runLocalCommand(words, fields, options.localCommands, null),
} satisfies Record<string, Handler>;
