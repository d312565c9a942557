/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const rhiMutants = [
  {
    id: 'no-bypass-of-the-engine',
    row: 'H3',
    file: 'src/threads/render-side/render-side.ts',
    code: 'const rhi = bypass?.(recorder) ?? recorder;',
    mutated: 'const rhi = recorder;',
    spec: 'e2e/rhi-debugging.spec.ts',
  },
  {
    id: 'no-bypass',
    row: 'H3',
    file: 'src/rhi/host/bypass.ts',
    code: "if (key !== 'reserveBufferWrite') execute();",
    mutated: '',
    spec: 'e2e/rhi/deferred.spec.ts',
  },
  {
    id: 'no-trace-of-the-engine',
    row: 'H8',
    file: 'src/threads/rhi-side/rhi-side.ts',
    code: 'tools?.traceStream(stream, given.onTrace);',
    mutated: ';',
    spec: 'e2e/rhi-debugging.spec.ts',
  },
];
