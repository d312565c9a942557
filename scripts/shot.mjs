// `npm run shot`: takes a picture of a demo page in its final state, in headless Chromium.
//
//   npm run shot -- --guide [names of guides]      the pictures of docs/guide/, see scripts/guide-pictures.mjs
//   npm run shot -- --page index.html --out docs/viewer.png [--width 1280] [--height 720] [--frames 60]
//                   [--query key=value&…] [--no-isolation] [--gpu hardware]
//
// The page is loaded and drawn until nothing is pending. An engine in `window.engine` is then stopped and stepped
// `--frames` times by 1/60 s, so that the same command gives the same picture. A page without that variable runs for
// `--frames` animation frames instead.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { guidePictures, PICTURE_SIZE } from './guide-pictures.mjs';
import { readCommandLine, refuse } from './lib/command-line.mjs';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const usage =
  'Usage: npm run shot -- --page <demo page> --out <file.png> [--width N] [--height N] [--frames N] [--query TEXT] [--no-isolation] [--gpu software|hardware]\n   or: npm run shot -- --guide [names of guides]';
const { values, positionals } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    guide: { type: 'boolean', default: false },
    page: { type: 'string' },
    out: { type: 'string' },
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '720' },
    frames: { type: 'string', default: '60' },
    query: { type: 'string', default: '' },
    gpu: { type: 'string', default: 'software' },
    'no-isolation': { type: 'boolean', default: false },
  },
});
const guides = values.guide ? chooseGuides(positionals) : [];
if (!values.guide) {
  if (!values.page || !values.out) refuse('Name both the page and the output file.', usage);
  if (!existsSync(join(projectRoot, values.page))) refuse(`The project has no ${values.page}.`, usage);
}

ensureInstalled();
process.env.FENCEPOST_TESTS = '1';
process.env.FENCEPOST_PORT = '0';
if (values['no-isolation']) process.env.FENCEPOST_ISOLATION = 'off';
const { createServer } = await import('vite');
const { chromium } = await import('playwright');
const { ensureChromium } = await import('./find-chromium.mjs');
const { openGuidePage, stepFrames } = await import('./lib/guide-page.mjs');
const { loadTestKit } = await import('./lib/test-kit.mjs');
const { chromiumLaunchOptions, probeWebGPU } = await loadTestKit();
const { ensureBuilt } = await import('./build.mjs');

await ensureBuilt();
const server = await createServer({ root: projectRoot, logLevel: 'error' });
await server.listen();
const origin = server.resolvedUrls?.local[0] ?? '';
const browser = await chromium.launch(
  chromiumLaunchOptions({ executablePath: ensureChromium(), gpu: values.gpu }),
);
let hasFailed = false;
try {
  const viewport = values.guide
    ? PICTURE_SIZE
    : { width: Number(values.width), height: Number(values.height) };
  const context = await browser.newContext({ viewport });
  const probePage = await context.newPage();
  await probePage.goto(`${origin}e2e/pages/blank.html`);
  await probeWebGPU(probePage);
  await probePage.close();

  if (values.guide) for (const guide of guides) await shootGuide(context, guide);
  else await shootPage(context);
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = hasFailed ? 1 : 0;

/** Returns the listed pictures of these guides, or all of them. */
function chooseGuides(names) {
  const unknown = names.find((name) => !guidePictures.some(({ guide }) => guide === name));
  if (unknown) refuse(`scripts/guide-pictures.mjs does not list a guide ${unknown}.`, usage);
  return names.length > 0 ? guidePictures.filter(({ guide }) => names.includes(guide)) : guidePictures;
}

async function openPage(context) {
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    hasFailed = true;
    console.error(`The page reported: ${error.message}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`The page logged: ${message.text()}`);
  });
  return page;
}

async function shootPage(context) {
  const page = await openPage(context);
  await page.goto(`${origin}${values.page.replace(/^\//, '')}${values.query ? `?${values.query}` : ''}`);
  await page.waitForLoadState('networkidle');
  const kind = await page.evaluate(settle, Number(values.frames));
  await save(page, values.out, kind);
}

async function shootGuide(context, picture) {
  const page = await openPage(context);
  const { guide, name = guide, frames = 4 } = picture;
  await openGuidePage(page, new URL(origin).origin, picture);
  await page.evaluate(stepFrames, frames);
  await save(page, join(projectRoot, `docs/guide/pictures/${name}.png`), `${frames} frames stepped`);
  await page.close();
}

async function save(page, file, kind) {
  const path = resolve(file);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
  const { width, height } = page.viewportSize();
  console.log(`Wrote ${file} (${width}×${height}, ${kind}).`);
}

/** Brings the page to its final state and lets the browser show it. Runs in the page. */
async function settle(frames) {
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  let engine = globalThis.engine;
  for (let waited = 0; !engine && waited < frames; waited++) {
    await nextFrame();
    engine = globalThis.engine;
  }
  if (!engine) return `after ${frames} animation frames; the page has no window.engine`;
  await engine.whenReady();
  engine.stop();
  for (let frame = 0; frame < frames; frame++) await engine.step(1 / 60);
  for (let shown = 0; shown < 3; shown++) await nextFrame();
  return `${frames} frames stepped`;
}
