/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const memoryMutants = [];
