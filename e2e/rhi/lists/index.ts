/** All lists of commands, which run on every backend. */
import { bundles } from './bundles.js';
import { clears } from './clears.js';
import { data } from './data.js';
import { drawing } from './drawing.js';
import type { CommandList } from './list.js';
import { order } from './order.js';
import { passes } from './passes.js';

export const commandLists: readonly CommandList[] = [
  ...drawing,
  ...bundles,
  ...passes,
  ...data,
  ...clears,
  ...order,
];

/** Returns the name of a list's test. */
export const testName = ({ commands, title }: CommandList): string =>
  `C ${commands.join(', ')}${title ? `: ${title}` : ''}`;
