/** Renaming (SYSTEMS M1): other memory, zeroed, behind the same handle. */
import { Contents } from './contents.js';
import type { Handler } from './parts.js';

export const renamingHandlers = {
  renameBuffer: ({ resources }, { words, fields }) => {
    resources.get(words[fields]).contents = new Contents();
  },
} satisfies Record<string, Handler>;
