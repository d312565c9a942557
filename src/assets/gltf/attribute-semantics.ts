/** The attributes that are read; all others are left out. */
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

/** The attributes of targets that are read. */
export const MORPH_SEMANTICS = ['POSITION', 'NORMAL', 'TANGENT'] as const;
