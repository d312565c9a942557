// Nothing random decides a test: every fast-check property runs from one seed. To search further, pass another,
// for example FC_SEED=7 npx vitest run src/core.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261121) });
