// The pages whose bytes `npm run size` measures. Each page loads other files than the hello cube does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './lib/install.mjs';
import { makeTestAssets } from './make-test-assets.mjs';
import { makeCompressedFiles } from './test-assets/compressed-files.mjs';

const compressed = await makeCompressedFiles();
const testAssets = makeTestAssets();
const example = readFileSync(join(projectRoot, 'e2e/packaging/example.ts'), 'utf8');

/** Returns the hello cube's ten lines, followed by further code. */
const cube = (then = '', options = '') =>
  `${example.replace("('canvas')!)", `('canvas')!${options && `, ${options}`})`)}\nawait engine.whenReady();\n${then}`;

const imports = (names, then) => cube(then).replace('standardMaterial }', `standardMaterial, ${names} }`);

/**
 * Returns an expression for the bytes of a file.
 *
 * @param {Uint8Array} file
 */
const bytes = (file) =>
  `Uint8Array.from(atob('${Buffer.from(file).toString('base64')}'), (each) => each.charCodeAt(0)).buffer as ArrayBuffer`;

/** A Radiance file of 4 × 2 grey texels. */
const sky = Buffer.concat([
  Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n'),
  Buffer.alloc(4 * 2 * 4, 128),
]);

/** @type {readonly import('./lib/fetched-bytes.mjs').MeasuredPage[]} */
export const fetchedPages = [
  { name: 'hello cube', script: cube() },
  { name: "threading: 'single'", script: cube('', "{ threading: 'single' }") },
  {
    name: 'a model, a .hdr, shadows, orbit controls',
    script: imports(
      'orbitControls',
      `orbitControls(engine, world.activeCamera!);
world.addDirectionalLight({ castShadow: true });
await Promise.all([
  world.load(${bytes(testAssets['all-maps.glb'])}),
  world.setEnvironment(${bytes(sky)}, { background: true }),
]);
await engine.whenReady();`,
    ),
  },
  {
    name: 'load() of a mesh of Draco',
    script: cube(`await world.load(${bytes(compressed['draco.glb'])});\nawait engine.whenReady();`),
  },
  {
    name: 'startCapture(), stopCapture()',
    script: cube('await engine.startCapture();\nawait engine.step(0.1);\nawait engine.stopCapture();'),
  },
  { name: 'validation: true', script: cube('', '{ validation: true }') },
  { name: 'showTimeline()', script: cube('await engine.showTimeline();') },
  {
    name: 'addRenderModule()',
    script: cube("await engine.addRenderModule('data:text/javascript,export default () => {}');"),
  },
  {
    name: 'device loss, recovered',
    script:
      cube(`const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
await engine.simulateDeviceLoss();
await restored;`),
  },
  {
    name: 'fencepost/element',
    script: `import 'fencepost/element';
const viewer = document.createElement('fencepost-viewer');
viewer.src = 'data:model/gltf-binary;base64,${Buffer.from(testAssets['hierarchy.glb']).toString('base64')}';
document.body.append(viewer);
await viewer.whenReady();`,
  },
  { name: 'fencepost/inline', script: cube().replace("'fencepost'", "'fencepost/inline'") },
  {
    name: 'fencepost/rhi alone',
    script:
      "import { createRhi, openDevice } from 'fencepost/rhi';\nconst { device } = await openDevice(navigator.gpu);\ncreateRhi({ device, surface: null });",
  },
];
