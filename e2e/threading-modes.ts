/** All threading modes: what a test shows in one of them it shows in each. */
export const MODES = ['single', 'render', 'render+rhi'] as const;
