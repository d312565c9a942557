/** @type {readonly import('./mutant.mjs').Mutant[]} */
export const renderMutants = [
  {
    id: 'one-look-for-all-views',
    row: 'G5',
    file: 'src/render/picture/view-output.ts',
    code: 'this.state.look.resolve(common, this.ownLook, hasUnmapped);',
    mutated: 'this.state.look.resolve(common, undefined, hasUnmapped);',
    spec: 'e2e/view-look.spec.ts',
  },
  {
    id: 'one-pass-format-for-all-views',
    row: 'G5',
    file: 'src/render/views/view-look.ts',
    code: 'this.sampleCount = own && bits & ViewSetting.antialias ? own.sampleCount : common.sampleCount;',
    mutated: 'this.sampleCount = common.sampleCount;',
    spec: 'e2e/view-look.spec.ts',
  },
  {
    id: 'no-overlay',
    row: 'G5',
    file: 'src/render/picture/tone-map-pass.ts',
    code: 'targets: [style & StylePart.overlay ? { format, blend: OVER } : { format }],',
    mutated: 'targets: [{ format }],',
    spec: 'e2e/view-look.spec.ts',
  },
];
