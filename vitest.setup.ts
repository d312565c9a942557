// Makes fast-check deterministic: every property runs from one seed. To try other values, pass another seed, for
// example FC_SEED=7 npx vitest run src/core.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261121) });
