/**
 * Runs the built package with `backend: 'null'` without a browser: in Node, with the program of
 * docs/guide/engine.md, and in a DOM without layout, such as jsdom. Each test starts a process of its own,
 * which has to end by itself.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';

const guide = readFileSync('docs/guide/engine.md', 'utf8');
const [, program = ''] = /^```mjs logic\.mjs\n(.*?)^```$/ms.exec(guide) ?? [];

/**
 * Runs a module and returns the lines that it prints. In the project's folder, the name `fencepost` resolves
 * to the built package.
 */
async function run(source: string, ...flags: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', source],
    { timeout: timeLimit(60_000), env: { ...process.env, FORCE_COLOR: '0' } },
  );
  return stdout.trimEnd().split('\n');
}

test('Node: the guide’s program prints the output that the page shows, and ends', async () => {
  const prints = [...program.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => text);
  expect(prints.length).toBe(2);
  expect(await run(program)).toEqual(prints);
});

test('Node: a level loads, controls turn the camera, the picture is empty, and nothing leaks', async () => {
  const printed = await run(`
    import { createEngine, orbitControls } from 'fencepost';
    const engine = await createEngine(null, { backend: 'null', background: 'transparent' });
    engine.addEventListener('error', ({ detail }) => console.log(detail));
    const { world } = engine;
    const camera = world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
    orbitControls(engine, camera, { autoRotate: Math.PI, damping: 0 });
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const level = await world.load(new TextEncoder().encode(JSON.stringify({
      asset: { version: '2.0' },
      buffers: [{ byteLength: 36, uri: 'data:application/octet-stream;base64,' + Buffer.from(positions.buffer).toString('base64') }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }], scene: 0,
    })).buffer);
    await engine.whenReady();
    await engine.step(0.5);
    console.log(level.actors.length, engine.stats().primitives, engine.stats().visible);
    console.log(camera.position.x.toFixed(3), camera.position.z.toFixed(3));
    const { width, height, data } = await engine.captureFrame();
    console.log(width, height, data.length, data.some((byte) => byte > 0));
    console.log(await engine.setThreading('render').catch(({ code }) => code), engine.threading);
    console.log((await engine.dispose()).leaks.length);
  `);
  expect(printed).toEqual([
    '1 1 1',
    '4.000 0.000',
    '300 150 180000 false',
    'worker-failed-to-start single',
    '0',
  ]);
});

test('Node: calls that need a browser are refused with errors that say what is missing', async () => {
  const printed = await run(`
    import { createEngine } from 'fencepost';
    const codeOf = (promise) => promise.then(() => 'nothing', ({ code }) => code);
    console.log(await codeOf(createEngine(null)));
    console.log(await codeOf(createEngine({}, { backend: 'null' })));
    const engine = await createEngine(null, { backend: 'null' });
    console.log(await codeOf(engine.showTimeline()), await codeOf(engine.showFrameGraph()));
    await engine.dispose();
  `);
  expect(printed).toEqual(['webgpu-missing', 'canvas-missing', 'document-missing document-missing']);
});

test('a DOM without layout: the canvas is added to the element and removed again; a null element is refused', async () => {
  const printed = await run(`
    import { createEngine } from 'fencepost';
    class Element extends EventTarget {
      style = {};
      children = [];
      constructor(tagName, size = {}) { super(); Object.assign(this, { tagName }, size); }
      get ownerDocument() { return document; }
      append(child) { this.children.push(child); child.remove = () => this.children.pop(); }
    }
    const document = { hidden: true, createElement: () => new Element('CANVAS', { width: 300, height: 150 }) };
    globalThis.document = Object.assign(new EventTarget(), document);
    const view = new Element('DIV');
    const engine = await createEngine(view, { backend: 'null', pixelRatio: 2 });
    console.log(view.children.length, engine.canvas === view.children[0]);
    engine.start();
    const { detail } = await new Promise((resolve) => engine.addEventListener('ready', resolve));
    const { width, height } = await engine.captureFrame();
    console.log(detail.frame > 0, width, height);
    await engine.dispose();
    console.log(view.children.length);
    console.log(await createEngine(null, { backend: 'null' }).catch(({ code }) => code));
    const canvas = new Element('CANVAS', { width: 64, height: 32 });
    const second = await createEngine(canvas, { backend: 'null' });
    await second.step(0);
    console.log(second.canvas === canvas, (await second.captureFrame()).width);
    await second.dispose();
  `);
  expect(printed).toEqual(['1 true', 'true 600 300', '0', 'canvas-missing', 'true 64']);
});
