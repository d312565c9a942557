const PASSES = 'e2e/render-passes.spec.ts';
const GRAPH = 'e2e/frame-graph.spec.ts';
const COMPILE = 'src/graph/compile.ts';

/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const graphMutants = [
  {
    id: 'undeclared-accesses-allowed',
    row: 'X1',
    file: 'src/graph/checked-builder.ts',
    code: 'if (this.#accesses.has(resource)) return;',
    mutated: 'return;',
    spec: PASSES,
    test: 'X1: a pass that breaks a rule',
  },
  {
    id: 'no-culled-passes',
    row: 'X2',
    file: COMPILE,
    code: 'const order = shape.passes.filter(({ index }) => live.has(index));',
    mutated: 'const order = shape.passes.filter(({ index }) => index >= 0 || live.has(index));',
    spec: PASSES,
    test: 'X2: a pass whose results',
  },
  {
    id: 'no-shared-textures',
    row: 'X3',
    file: COMPILE,
    code: '({ like, freeAfter }) => freeAfter < bornBefore && isAlike(like, resource),',
    mutated: '({ like, freeAfter }) => freeAfter < -1 && bornBefore >= 0 && isAlike(like, resource),',
    spec: GRAPH,
  },
  {
    id: 'no-placing-on-queues',
    row: 'X4',
    file: COMPILE,
    code: 'const places = placeOnQueues(order);',
    mutated:
      "const places = placeOnQueues(order).map((): Placing => ({ queue: 'graphics', overlap: undefined }));",
    spec: GRAPH,
  },
  {
    id: 'no-times-of-passes',
    row: 'X5',
    file: 'src/graph/description/graph-picture.ts',
    code: 'gpuMs: pass.isCulled ? null : (times?.get(pass.name) ?? null),',
    mutated: 'gpuMs: null,',
    spec: GRAPH,
    test: 'X1, X5: shadow maps',
  },
  {
    id: 'engine-passes-unchecked',
    row: 'X1',
    file: 'src/graph/frame-graph.ts',
    code: 'this.setup.addPass(this.checkPass?.(pass) ?? pass);',
    mutated: 'this.setup.addPass(pass);',
    spec: 'e2e/frame-graph.spec.ts',
    test: 'X1, X4',
  },
  {
    id: 'lasting-resources-of-unused-passes',
    row: 'X2',
    file: 'src/graph/frame-graph.ts',
    code: 'const isUsed = resources[index]?.resource.isImported;',
    mutated: 'const isUsed = true;',
    spec: 'e2e/render-passes.spec.ts',
  },
  {
    id: 'irradiance-on-the-graphics-queue',
    row: 'X4',
    file: 'src/render/environment/irradiance-pass.ts',
    code: "queue: 'compute',",
    mutated: "queue: 'graphics',",
    spec: 'e2e/frame-graph.spec.ts',
    test: 'X1, X4',
  },
  {
    id: 'picks-copied-on-the-graphics-queue',
    row: 'X4',
    file: 'src/render/picking/pick-passes.ts',
    code: "readonly queue = 'copy';",
    mutated: "readonly queue = 'graphics';",
    spec: 'e2e/frame-graph.spec.ts',
    test: 'X1, X4',
  },
  {
    id: 'lives-end-with-the-last-use',
    row: 'X4',
    file: 'src/graph/compile.ts',
    code: 'diesAfter: Math.max(life?.diesAfter ?? place, overlap[1]),',
    mutated: 'diesAfter: place,',
    spec: 'e2e/frame-graph.spec.ts',
  },
];
