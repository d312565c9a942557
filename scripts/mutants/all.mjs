/** All mutants, in the order of docs/systems.md. */

import { commandMutants } from './commands.mjs';
import { fenceMutants } from './fences.mjs';
import { gameMutants } from './game.mjs';
import { graphMutants } from './graph.mjs';
import { lifetimeMutants } from './lifetime.mjs';
import { memoryMutants } from './memory.mjs';
import { renderMutants } from './render.mjs';
import { rhiMutants } from './rhi.mjs';
import { taskMutants } from './tasks.mjs';

/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const mutants = [
  ...gameMutants,
  ...renderMutants,
  ...rhiMutants,
  ...lifetimeMutants,
  ...memoryMutants,
  ...fenceMutants,
  ...taskMutants,
  ...graphMutants,
  ...commandMutants,
];
