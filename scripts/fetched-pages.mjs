// The pages whose bytes `npm run size` tells, each with its ceiling in bytes, gzip, of all scripts that it fetches. A ceiling
// is what the page fetched when it was set, and a little: what raises one is either worth it, or loaded by a page that
// doesn't use it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './lib/install.mjs';
import { makeTestAssets } from './make-test-assets.mjs';
import { makeCompressedFiles } from './test-assets/compressed-files.mjs';
import { litFile } from './test-assets/lit-file.mjs';

const compressed = await makeCompressedFiles();
const testAssets = makeTestAssets();
const example = readFileSync(join(projectRoot, 'e2e/packaging/example.ts'), 'utf8');

/** The ten lines, complete, and what comes after them. */
const cube = (then = '', options = '') =>
  `${example.replace("('canvas')!)", `('canvas')!${options && `, ${options}`})`)}\nawait engine.whenReady();\n${then}`;

const imports = (names, then) => cube(then).replace('standardMaterial }', `standardMaterial, ${names} }`);

/** @param {Uint8Array} file a model */
const loads = (file) =>
  `await world.load(Uint8Array.from(atob('${Buffer.from(file).toString('base64')}'), (each) => each.charCodeAt(0)).buffer as ArrayBuffer);
await engine.whenReady();`;

const triangle = `await world.load(new TextEncoder().encode(JSON.stringify({
  asset: { version: '2.0' },
  buffers: [{ byteLength: 36, uri: 'data:application/octet-stream;base64,${Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString('base64')}' }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }], scene: 0,
})).buffer as ArrayBuffer);
await engine.whenReady();`;

/** What the panel of the demo's pages asks for, the times of the GPU's passes among it. */
const PANEL_FIGURES = ['worker-control.js', 'worker-seldom.js'];

/** @type {readonly (import('./lib/fetched-bytes.mjs').MeasuredPage & { readonly ceiling: number })[]} */
export const fetchedPages = [
  { name: 'hello cube', ceiling: 105_400, script: cube() },
  { name: 'hello cube, isolated', ceiling: 109_000, isIsolated: true, script: cube() },
  { name: "threading: 'render+rhi'", ceiling: 108_800, script: cube('', "{ threading: 'render+rhi' }") },
  { name: 'hdr: false', ceiling: 109_600, script: cube('', '{ hdr: false }') },
  { name: "threading: 'single'", ceiling: 115_000, script: cube('', "{ threading: 'single' }") },
  { name: 'first load() of a glTF', ceiling: 170_200, script: cube(triangle) },
  { name: 'load() of a mesh of Draco', ceiling: 277_000, script: cube(loads(compressed['draco.glb'])) },
  { name: 'load() of meshopt buffers', ceiling: 181_400, script: cube(loads(compressed['meshopt.glb'])) },
  { name: 'load() of morph targets', ceiling: 186_100, script: cube(loads(testAssets['deformed.glb'])) },
  {
    name: 'texture()',
    ceiling: 115_300,
    script: imports(
      'texture',
      `world.addMesh({ geometry: boxGeometry(), material: standardMaterial({ baseColorTexture: texture({ width: 1, height: 1, data: new Uint8Array(4) }) }) });
await engine.whenReady();`,
    ),
  },
  {
    name: "setEnvironment('studio')",
    ceiling: 119_700,
    script: cube("await world.setEnvironment('studio');\nawait engine.whenReady();"),
  },
  {
    name: 'setEnvironment() of the light of a glTF',
    ceiling: 187_900,
    script: cube(`const level = ${loads(litFile())}
await world.setEnvironment(level.environment!);
await engine.whenReady();`),
  },
  {
    name: 'castShadow: true',
    ceiling: 117_600,
    script: cube('world.addDirectionalLight({ castShadow: true });\nawait engine.whenReady();'),
  },
  {
    name: "renderer: 'deferred'",
    ceiling: 114_900,
    script: cube('', "{ renderer: 'deferred' }"),
  },
  {
    name: '17 lights',
    ceiling: 109_600,
    script: cube(
      'for (let x = 0; x < 17; x++) world.addPointLight({ position: [x, 1, 0], range: 2 });\nawait engine.whenReady();',
    ),
  },
  {
    name: '64 draws that stay the same',
    ceiling: 110_900,
    script:
      cube(`for (let x = 0; x < 64; x++) world.addMesh({ geometry: boxGeometry({ size: 1 + x / 64 }), material: standardMaterial() });
engine.stop();
for (let frame = 0; frame < 4; frame++) await engine.step(0);`),
    fetchesLater: ['worker-bundles.js'],
  },
  {
    name: 'addView()',
    ceiling: 129_300,
    script: cube(
      'engine.addView({ camera: world.activeCamera!, rect: { x: 0, y: 0, width: 0.5, height: 1 } });\nawait engine.whenReady();',
    ),
  },
  {
    name: 'addLines()',
    ceiling: 116_100,
    script: cube('await world.addLines({ positions: [0, 0, 0, 1, 1, 1], width: 3 });\nawait engine.step(0);'),
  },
  {
    name: 'addText()',
    ceiling: 122_800,
    script: cube("await world.addText({ text: 'cube' });\nawait engine.whenReady();\nawait engine.step(0);"),
  },
  {
    name: 'addMesh({ lods })',
    ceiling: 108_400,
    script: cube(
      'world.addMesh({ lods: [{ geometry: boxGeometry(), screenSize: 0.1 }] });\nawait engine.step(0);',
    ),
  },
  {
    name: 'addMesh({ occluder })',
    ceiling: 109_900,
    script: cube('world.addMesh({ geometry: boxGeometry(), occluder: true });\nawait engine.step(0);'),
  },
  {
    name: 'createWorld()',
    ceiling: 118_100,
    script: cube('await engine.createWorld();\nawait engine.step(0);'),
  },
  {
    name: 'pick()',
    ceiling: 121_100,
    script: cube('await engine.pick(1, 1);'),
  },
  {
    name: 'motion: spin()',
    ceiling: 115_100,
    script: imports(
      'spin',
      'cube.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });\nawait engine.step(0.1);',
    ),
  },
  {
    name: 'orbitControls()',
    ceiling: 110_200,
    script: imports('orbitControls', 'orbitControls(engine, world.activeCamera!);'),
  },
  { name: 'captureFrame()', ceiling: 113_900, script: cube('await engine.captureFrame();') },
  { name: 'flush()', ceiling: 123_600, script: cube('await engine.flush();') },
  {
    name: 'startCapture(), stopCapture()',
    ceiling: 135_000,
    script: cube('await engine.startCapture();\nawait engine.step(0.1);\nawait engine.stopCapture();'),
  },
  { name: 'flightRecorder: true', ceiling: 130_600, script: cube('', '{ flightRecorder: true }') },
  { name: 'validation: true', ceiling: 127_200, script: cube('', '{ validation: true }') },
  {
    name: 'showTimeline()',
    ceiling: 143_800,
    script: cube('await engine.showTimeline();'),
    // What times the GPU's passes.
    fetchesLater: ['worker-seldom.js'],
  },
  {
    name: 'shaderMaterial()',
    ceiling: 111_300,
    script: imports(
      'shaderMaterial',
      "world.addMesh({ geometry: boxGeometry(), material: shaderMaterial({ wgsl: 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}' }) });\nawait engine.step(0);",
    ),
  },
  { name: 'showFrameGraph()', ceiling: 150_700, script: cube('await engine.showFrameGraph();') },
  {
    name: 'addRenderModule()',
    ceiling: 146_100,
    script: cube("await engine.addRenderModule('data:text/javascript,export default () => {}');"),
  },
  {
    name: 'graph.addPass() of a render module',
    ceiling: 167_200,
    script: cube(
      `await engine.addRenderModule('data:text/javascript,export default ({ graph }) => { graph.addPass("frame", () => ({ name: "none", kind: "copy", setup() {}, execute() {} })); }');`,
    ),
  },
  {
    name: 'device loss, recovered',
    ceiling: 130_100,
    script:
      cube(`const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
await engine.simulateDeviceLoss();
await restored;`),
  },
  { name: 'dispose()', ceiling: 115_800, script: cube('await engine.dispose();') },
  {
    name: 'fencepost/element',
    ceiling: 196_000,
    script: `import 'fencepost/element';
const viewer = document.createElement('fencepost-viewer');
viewer.src = 'data:model/gltf-binary;base64,${Buffer.from(testAssets['hierarchy.glb']).toString('base64')}';
document.body.append(viewer);
await viewer.whenReady();`,
  },
  { name: 'fencepost/inline', ceiling: 374_300, script: cube().replace("'fencepost'", "'fencepost/inline'") },
  {
    name: 'fencepost/rhi alone',
    ceiling: 115_300,
    script:
      "import { createRhi, openDevice } from 'fencepost/rhi';\nconst { device } = await openDevice(navigator.gpu);\ncreateRhi({ device, surface: null });",
  },
  { name: 'index.html', ceiling: 251_400, html: 'index.html', fetchesLater: PANEL_FIGURES },
  { name: 'demo/crowd.html', ceiling: 193_300, html: 'demo/crowd.html', fetchesLater: PANEL_FIGURES },
  {
    name: 'demo/swarm.html',
    ceiling: 151_900,
    html: 'demo/swarm.html?count=500',
    fetchesLater: PANEL_FIGURES,
  },
  { name: 'demo/gallery.html', ceiling: 147_900, html: 'demo/gallery.html' },
  { name: 'demo/capture.html', ceiling: 125_800, html: 'demo/capture.html' },
];
