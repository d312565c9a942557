/**
 * The supported vertex attributes. Further sets of joints and weights are read as well (`joint-attributes.ts`). All
 * other attributes are left out.
 */
export const VERTEX_SEMANTICS = [
  'POSITION',
  'NORMAL',
  'TANGENT',
  'TEXCOORD_0',
  'TEXCOORD_1',
  'COLOR_0',
  'JOINTS_0',
  'WEIGHTS_0',
] as const;

/** The supported attributes of morph targets. */
export const MORPH_SEMANTICS = ['POSITION', 'NORMAL', 'TANGENT'] as const;
