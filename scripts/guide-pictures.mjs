// The pictures of the guides. `npm run shot -- --guide` draws all of them, `npm run shot -- --guide light` one.
//
//   docs/guide/light.md ─► its program `shadows.js`, as printed ─► Chromium ─► docs/guide/pictures/light.png
//
// The program runs in a page that has `<div id="view">` of 480 × 270 CSS pixels, and assigns its engine to a variable
// `engine`. Its call `engine.start()` is removed, like the attribute `auto-rotate` of markup. Frames are stepped
// instead, so that each run gives the same picture.

/**
 * @typedef {object} GuidePicture
 * @property {string} guide the name of the page without `.md`
 * @property {string} [name] the name of the picture without `.png`, if it is not the page's first one; default: `guide`
 * @property {string} program the name of a `js` block of the page; `html` for pages of markup means the first `html`
 * block
 * @property {number} [frames] number of steps of 1/60 s before the picture is taken; default 4
 * @property {string} [after] code that runs after the program and knows its variables
 * @property {number} [bytes] largest size of the picture, if its details need more than the common limit
 */

/** Width and height of each picture, in pixels. */
export const PICTURE_SIZE = /** @type {const} */ ({ width: 480, height: 270 });

/** @type {readonly GuidePicture[]} */
export const guidePictures = [
  { guide: 'animation', program: 'nod.js', frames: 30 },
  { guide: 'controls', program: 'village.js' },
  { guide: 'debug-views', program: 'debug.js' },
  { guide: 'debug-views', name: 'motion-view', program: 'moving.js' },
  { guide: 'effects', program: 'vignette.js' },
  { guide: 'effects', name: 'ambient-occlusion', program: 'ambient-occlusion.js' },
  { guide: 'effects', name: 'reflections', program: 'reflections.js' },
  { guide: 'effects', name: 'fog', program: 'fog.js' },
  { guide: 'effects', name: 'depth-of-field', program: 'depth-of-field.js' },
  { guide: 'effects', name: 'bloom', program: 'bloom.js' },
  { guide: 'effects', name: 'exposure', program: 'exposure.js' },
  { guide: 'effects', name: 'outline', program: 'outline.js' },
  { guide: 'effects', name: 'edges', program: 'fence.js' },
  { guide: 'effects', name: 'grading', program: 'grading.js' },
  { guide: 'effects', name: 'aberration', program: 'aberration.js' },
  { guide: 'effects', name: 'grain', program: 'grain.js' },
  { guide: 'element', program: 'html' },
  { guide: 'engine', program: 'cube.js', frames: 60 },
  { guide: 'games', program: 'waves.js' },
  { guide: 'gltf', program: 'product.js' },
  { guide: 'instances', program: 'towers.js' },
  { guide: 'labels', program: 'names.js' },
  { guide: 'light', program: 'shadows.js' },
  { guide: 'light', name: 'shadow-catcher', program: 'catcher.js' },
  { guide: 'light', name: 'sky', program: 'sky.js' },
  { guide: 'materials', program: 'materials.js' },
  { guide: 'materials', name: 'decals', program: 'decals.js' },
  { guide: 'motion', program: 'spin.js', frames: 60 },
  { guide: 'particles', program: 'fire.js', frames: 90 },
  { guide: 'particles', name: 'sparks', program: 'sparks.js', frames: 120 },
  {
    guide: 'picking',
    program: 'clicks.js',
    after: `const middle = { clientX: 240, clientY: 135, bubbles: true, button: 0 };
await engine.whenReady();
engine.canvas.dispatchEvent(new MouseEvent('click', middle));`,
  },
  { guide: 'render-modules', program: 'main.js', frames: 24 },
  { guide: 'render-passes', program: 'main.js', frames: 30 },
  { guide: 'scene', program: 'scene.js' },
  { guide: 'shader-gallery', program: 'gradient.js' },
  { guide: 'shader-gallery', name: 'shader-dissolve', program: 'dissolve.js' },
  { guide: 'shader-gallery', name: 'shader-triplanar', program: 'triplanar.js' },
  { guide: 'shader-gallery', name: 'shader-wind', program: 'wind.js', bytes: 150_000 },
  { guide: 'shader-gallery', name: 'shader-toon', program: 'toon.js' },
  { guide: 'shader-gallery', name: 'shader-water', program: 'water.js', bytes: 100_000 },
  { guide: 'shader-gallery', name: 'shader-force-field', program: 'force-field.js' },
  { guide: 'shader-gallery', name: 'shader-terrain', program: 'terrain.js', bytes: 150_000 },
  { guide: 'shader-materials', program: 'stripes.js' },
  { guide: 'views', program: 'corner.js' },
];
