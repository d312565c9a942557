// The pictures of the guides. `npm run shot -- --guide` draws all of them, `npm run shot -- --guide light` one.
//
//   docs/guide/light.md ─► its program `shadows.js`, as printed ─► Chromium ─► docs/guide/pictures/light.png
//
// The program runs in a page that has `<div id="view">` of 480 × 270 CSS pixels, and assigns its engine to a
// variable `engine`. Its call `engine.start()` is removed, like the attribute `auto-rotate` of markup: frames are
// stepped, so that each run gives the same picture.

/**
 * @typedef {object} GuidePicture
 * @property {string} guide the page's name without `.md`, which is also the picture's
 * @property {string} program the name of a `js` block of the page; for pages of markup, `html`: the first `html` block
 * @property {number} [frames] stepped by 1/60 s each before the picture is taken; default 4
 * @property {string} [after] code that runs after the program and knows its variables
 */

/** Width and height of each picture, in pixels. */
export const PICTURE_SIZE = /** @type {const} */ ({ width: 480, height: 270 });

/** @type {readonly GuidePicture[]} */
export const guidePictures = [
  { guide: 'animation', program: 'nod.js', frames: 30 },
  { guide: 'effects', program: 'vignette.js' },
  { guide: 'element', program: 'html' },
  { guide: 'engine', program: 'cube.js', frames: 60 },
  { guide: 'games', program: 'waves.js' },
  { guide: 'gltf', program: 'product.js' },
  { guide: 'instances', program: 'towers.js' },
  { guide: 'labels', program: 'names.js' },
  { guide: 'light', program: 'shadows.js' },
  { guide: 'materials', program: 'materials.js' },
  { guide: 'motion', program: 'spin.js', frames: 60 },
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
  { guide: 'shader-materials', program: 'stripes.js' },
  { guide: 'views', program: 'corner.js' },
];
