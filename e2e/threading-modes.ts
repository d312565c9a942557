/** All threading modes. A behaviour that a test shows in one mode must hold in all modes. */
export const MODES = ['single', 'render', 'render+rhi'] as const;
