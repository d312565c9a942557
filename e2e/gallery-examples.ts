/** Names of the gallery's examples, as in their addresses, such as `demo/gallery.html#shadows`. */
export const GALLERY_EXAMPLES = [
  'environment',
  'shadows',
  'lights',
  'views',
  'worlds',
  'shaders',
  'passes',
  'effects',
  'instances',
  'motion',
  'characters',
  'drawing',
  'picking',
  'labels',
] as const;
