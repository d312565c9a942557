/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const renderMutants = [];
