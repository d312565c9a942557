// Serves the programs of a guide in a page below `/guide/`. The guide prints the program that draws the picture with
// `engine.start()`. This call is removed, so that scripts can step the engine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PICTURE_SIZE } from '../guide-pictures.mjs';
import { projectRoot } from './install.mjs';
import { makeLampModel } from './lamp-model.mjs';

const IMPORTS = Object.fromEntries(
  ['', '/element', '/inline', '/math', '/rhi', '/shaders', '/tasks'].map((entry) => [
    `fencepost${entry}`,
    `/dist${entry || '/index'}.js`,
  ]),
);
const EMPTY_IMAGE = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Returns the programs that a guide prints, by the file names that follow ```js. */
export function programsOf(guide) {
  const text = readFileSync(join(projectRoot, `docs/guide/${guide}.md`), 'utf8');
  return new Map(
    [...text.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(
      ([, file, code]) => /** @type {const} */ ([file, code]),
    ),
  );
}

/** Returns the first `html` block of a guide. */
function markupOf(guide) {
  const text = readFileSync(join(projectRoot, `docs/guide/${guide}.md`), 'utf8');
  const [, markup] = /^```html\n(.*?)^```$/ms.exec(text) ?? [];
  if (!markup) throw new Error(`docs/guide/${guide}.md has no block of html.`);
  return markup;
}

/**
 * Opens the page that draws a guide's picture, and waits for its engine in `window.engine`.
 *
 * @param {import('playwright').Page} page
 * @param {string} origin origin of the development server
 * @param {import('../guide-pictures.mjs').GuidePicture} picture
 */
export async function openGuidePage(page, origin, { guide, program, after = '' }) {
  const isMarkup = program === 'html';
  const programs = programsOf(guide);
  const code = programs.get(program);
  if (!isMarkup && code === undefined) throw new Error(`docs/guide/${guide}.md has no program ${program}.`);
  /** @type {Map<string, { contentType: string, body: string | Buffer }>} */
  const files = new Map();
  for (const [file, text] of programs) files.set(file, { contentType: 'text/javascript', body: text });
  const drawn = isMarkup
    ? `const viewer = document.querySelector('fencepost-viewer');
await viewer.whenReady();
const { engine } = viewer;`
    : code.replaceAll('engine.start();', '');
  files.set(program, {
    contentType: 'text/javascript',
    body: `${drawn}\n${after}\nwindow.engine = engine;`,
  });
  files.set('lamp.glb', { contentType: 'model/gltf-binary', body: Buffer.from(await makeLampModel()) });
  // The poster of the element's guide, which the model replaces.
  files.set('lamp.jpg', { contentType: 'image/gif', body: Buffer.from(EMPTY_IMAGE, 'base64') });
  files.set('page.html', {
    contentType: 'text/html',
    body: `<!doctype html>
<meta charset="utf-8" />
<title>${guide}</title>
<link rel="icon" href="data:," />
<style>
  html, body { margin: 0; font: 14px sans-serif; }
  #view, fencepost-viewer { display: block; position: relative; width: ${PICTURE_SIZE.width}px; height: ${PICTURE_SIZE.height}px; }
</style>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
${isMarkup ? markupOf(guide).replace(' auto-rotate', '') : '<div id="view"></div>'}
<script type="module" src="${program}"></script>`,
  });
  await page.route(
    (url) => url.pathname.startsWith('/guide/'),
    (route) => {
      const file = files.get(new URL(route.request().url()).pathname.slice('/guide/'.length));
      return file ? route.fulfill({ ...file, headers: HEADERS }) : route.fulfill({ status: 404 });
    },
  );
  await page.goto(`${origin}/guide/page.html`);
  await page.waitForFunction('window.engine', undefined, { timeout: 120_000 });
}

/** Steps the engine by 1/60 s per frame, and lets the browser show the last frame. Runs in the page. */
export async function stepFrames(frames) {
  const { engine } = /** @type {any} */ (globalThis);
  await engine.whenReady();
  engine.stop();
  for (let frame = 0; frame < frames; frame++) await engine.step(1 / 60);
  for (let shown = 0; shown < 3; shown++) await new Promise((done) => requestAnimationFrame(done));
}
