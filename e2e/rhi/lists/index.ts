/** All lists of commands, for every backend. */
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

/** What the test of a list is called. */
export const testName = ({ commands, title }: CommandList): string =>
  `C ${commands.join(', ')}${title ? `: ${title}` : ''}`;
