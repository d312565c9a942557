/** Frames, the viewport, and what reaches out of the list: queues, the timeline's lanes, local commands. */
import { runLocalCommand } from '../host/local-commands.js';
import type { Handler } from './parts.js';

export const frameHandlers = {
  beginFrame: ({ host }, { words, fields }) => host.beginFrame(words[fields], words[fields + 1]),
  endFrame: ({ host }) => host.endFrame(),
  beginDrawingViewport: ({ host, resources, viewport }, { words, fields }) => {
    if (host.mustWaitForPipelines()) return;
    resources.textures.add(viewport.begin(words[fields], words[fields + 1], words[fields + 2]));
  },
  endDrawingViewport: ({ resources }, { words, fields }) => {
    resources.textures.take(words[fields]);
  },
  // WebGPU has one queue, in order; the timeline shows the declared one (SYSTEMS H6).
  setQueue: ({ seldom }, { words, fields }) => {
    if (seldom) seldom.timer.queue = words[fields];
  },
  // WebGPU places its barriers itself: the validation layer reads them.
  transition: () => {},
  localCommand: ({ pass, list, options, device }, { words, fields }) => {
    // Inside a pass nothing can be submitted; there it runs while what is recorded before it is pending.
    if (!pass.isOpen) list.submit();
    runLocalCommand(words, fields, options.localCommands, device);
  },
} satisfies Record<string, Handler>;
