/**
 * Runs the conformance runner on generated files, and on the folder that the variable `FENCEPOST_ASSETS` names.
 * Every file shows or is rejected with a typed error. Further tests check that the runner itself notices each
 * kind of failure.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { decodePng } from 'fencepost/testing';
import { type Report, runConformance, statusText } from '../scripts/conformance/run.mjs';
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { makeTestAssets, writeTestAssets } from '../scripts/make-test-assets.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** The expected report for each faulty generated file: an error's code, or a pattern of a warning. */
const faults: Record<string, string | RegExp> = {
  'broken/accessor-out-of-bounds.glb': 'accessor-out-of-bounds',
  'broken/bad-index.glb': 'indices-out-of-range',
  'broken/cycle.gltf': 'gltf-invalid',
  'broken/dangling-reference.glb': 'gltf-invalid',
  'broken/empty.glb': 'not-gltf',
  'broken/garbage.glb': 'not-gltf',
  'broken/missing-buffer.gltf': 'resource-missing',
  'broken/missing-image.gltf': /nowhere\.png.* 404 /,
  'broken/no-gltf.gltf': 'not-gltf',
  'broken/required-extension.glb': 'extension-unsupported',
  'broken/truncated.glb': 'gltf-truncated',
  'broken/truncated.gltf': 'gltf-truncated',
  'broken/undecodable-image.glb': /image 0.* cannot be decoded/,
  'broken/version-1.gltf': 'gltf-version-unsupported',
  'broken/web-page.gltf': 'not-gltf',
};

/** Saves the contact sheet as an attachment of the test, and checks that it has pictures. */
function keepSheet(report: Report): void {
  const file = test.info().outputPath('contact-sheet.png');
  const sheet = report.sheet!;
  writeFileSync(file, sheet);
  test.info().attachments.push({ name: 'contact sheet', path: file, contentType: 'image/png' });
  const { width, height, data } = decodePng(sheet);
  expect(width * height).toBeGreaterThan(report.results.length * 192 * 192);
  const colors = new Set<number>();
  for (let at = 0; at < data.length; at += 4) {
    colors.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
  }
  expect(colors.size).toBeGreaterThan(200);
}

const temporaryFolders: string[] = [];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fencepost-conformance-'));
  temporaryFolders.push(folder);
  return folder;
}

test.afterEach(() => {
  for (const folder of temporaryFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderWith(names: readonly string[], files: Record<string, Uint8Array> = {}) {
  const folder = temporaryFolder();
  for (const name of names) writeFileSync(join(folder, name), makeTestAssets()['unlit.glb']!);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}

test('valid generated files show, and each faulty file is reported with its fault', async () => {
  test.setTimeout(timeLimit(300_000));
  const folder = temporaryFolder();
  writeTestAssets(folder);
  const report = await runConformance({ folder, sheet: true, time: true });
  keepSheet(report);

  const models = Object.keys(makeTestAssets()).filter((name) => /\.(gltf|glb)$/.test(name));
  expect(report.results.map(({ file }) => file)).toEqual(models.sort());
  const broken = models.filter((name) => name.startsWith('broken/'));
  expect(Object.keys(faults).filter((name) => name.startsWith('broken/'))).toEqual(broken);
  for (const result of report.results) {
    const fault = faults[result.file];
    const text = statusText(result);
    if (typeof fault === 'string') {
      expect(result.status, text).toBe('error');
      expect(result.error, text).toMatchObject({ name: 'AssetError', code: fault });
      // The message names the file.
      expect(result.error!.message).toContain(result.file);
    } else {
      expect(result.status, text).toBe(fault ? 'warning' : 'ok');
      if (fault) expect(result.warnings.join(' ')).toMatch(fault);
      expect(result.coverage, `${result.file}: nearly all of the picture is background`).toBeGreaterThan(
        0.02,
      );
      expect(result.coverage, `${result.file}: the picture is not framed`).toBeLessThan(0.9);
      expect(result.primitives).toBeGreaterThan(0);
      expect(result.skippedDraws).toBe(0);
    }
    expect(result.leaks, `${result.file}: GPU resources left over`).toBe(0);
  }
  expect(report.summary).toMatchObject({ ok: 18, warnings: 2, errors: 13, failed: 0 });
});

test('no file of the folder FENCEPOST_ASSETS causes a crash, a hang or an untyped error', async () => {
  const folder = process.env.FENCEPOST_ASSETS;
  test.skip(!folder, 'FENCEPOST_ASSETS names no folder of sample models');
  test.setTimeout(timeLimit(600_000));
  // Antialiasing on a software adapter costs time per triangle, and one file has millions of them.
  const report = await runConformance({ folder: folder!, antialias: false, sheet: true });
  for (const result of report.results) console.log(`${result.file}: ${statusText(result)}`);
  keepSheet(report);
  expect(report.results.filter(({ status }) => status === 'failed').map(statusText)).toEqual([]);
  for (const { file, status, coverage, leaks } of report.results) {
    if (status !== 'error') expect(coverage, `${file}: the picture is empty`).toBeGreaterThan(0);
    expect(leaks, `${file}: GPU resources left over`).toBe(0);
  }
});

/**
 * Makes the page fail when it requests certain files. Each file's name states the failure: a hang, a blocked
 * page, a crash, a GPU error, a lost device or an exception without a type.
 */
async function provokeFailures(context: BrowserContext): Promise<void> {
  const page = () => context.pages()[0]!;
  await context.route('**/hang.glb', () => {});
  await context.route(
    '**/crash.glb',
    () =>
      void page()
        .goto('chrome://crash')
        .catch(() => {}),
  );
  await context.route('**/gpu.glb', async (route) => {
    await page().evaluate(async () => {
      const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
      device.createBuffer({ label: 'bad buffer', size: 4, usage: 0xffff });
      await device.queue.onSubmittedWorkDone();
    });
    await route.continue();
  });
  await context.route('**/lost.glb', async (route) => {
    // A device of the page reports when the GPU process has crashed.
    const device = await page().evaluateHandle(async () =>
      (await navigator.gpu.requestAdapter())!.requestDevice(),
    );
    const session = await context.browser()!.newBrowserCDPSession();
    await session.send('Browser.crashGpuProcess');
    await device.evaluate(async ({ lost }) => void (await lost));
    await route.continue();
  });
  await context.route('**/untyped.glb', async (route) => {
    await page().evaluate(() => void setTimeout(() => (undefined as unknown as Event).preventDefault()));
    await route.continue();
  });
  // Blocks the page's main thread when it resolves the address of `blocked.glb`.
  await context.addInitScript(() => {
    window.URL = class extends URL {
      constructor(url: string | URL, base?: string | URL) {
        super(url, base);
        if (this.pathname.endsWith('/blocked.glb')) for (;;);
      }
    };
  });
}

test('a hang, a blocked page, a crash, a lost device, a GPU error and an exception fail the run, which continues', async () => {
  test.setTimeout(timeLimit(240_000));
  const folder = folderWith([
    'blocked.glb',
    'crash.glb',
    'gpu.glb',
    'hang.glb',
    'lost.glb',
    'untyped.glb',
    'valid.glb',
  ]);
  // Files that hang get a shorter time limit than files that load.
  const limit = (file: string) => timeLimit(/hang|blocked/.test(file) ? 2500 : 30_000);
  const { results, summary } = await runConformance({ folder, limit, prepare: provokeFailures });
  const kinds = results.map(({ file, failures }) => [file, ...new Set(failures.map(({ kind }) => kind))]);
  expect(kinds).toEqual([
    ['blocked.glb', 'hang'],
    ['crash.glb', 'crash'],
    ['gpu.glb', 'gpu-error'],
    ['hang.glb', 'hang'],
    ['lost.glb', expect.stringMatching(/device-lost/)],
    ['untyped.glb', 'untyped'],
    ['valid.glb'],
  ]);
  expect(statusText(results[2]!)).toMatch(/^failed: gpu-error .*bad buffer/);
  expect(statusText(results[3]!)).toContain(`failed: hang ${limit('hang.glb')} ms were over while loading`);
  expect(summary).toMatchObject({ files: 7, ok: 1, failed: 6 });
});

function runCommand(args: readonly string[]) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['scripts/conformance.mjs', ...args],
      { timeout: timeLimit(120_000) },
      (_error, stdout, stderr) => resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test('the command writes a line per file, JSON and a contact sheet, with status 0 although a file is refused', async () => {
  test.setTimeout(timeLimit(150_000));
  const folder = folderWith(['box.glb'], { 'refused.glb': new Uint8Array(0) });
  const json = join(temporaryFolder(), 'new/report.json');
  const sheet = join(temporaryFolder(), 'sheet.png');
  const { status, stdout, stderr } = await runCommand([folder, '--json', json, '--sheet', sheet]);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toBe('box.glb: ok');
  expect(lines[1]).toMatch(/^refused\.glb: error: AssetError not-gltf "refused\.glb": It is empty\./);
  expect(lines.at(-1)).toMatch(/^2 files: 1 ok, 0 with warnings, 1 refused with an error, 0 failed/);
  expect(status).toBe(0);
  const report = JSON.parse(readFileSync(json, 'utf8'));
  expect(report.summary).toMatchObject({ files: 2, ok: 1, warnings: 0, errors: 1, failed: 0 });
  expect(report.results[1]).toMatchObject({ file: 'refused.glb', status: 'error', warnings: [] });
  expect(decodePng(readFileSync(sheet)).width).toBeGreaterThan(2 * 192);
});

test('the command ends with status 1 after a hang', async () => {
  test.setTimeout(timeLimit(150_000));
  const { status, stdout } = await runCommand([folderWith(['box.glb']), '--limit', '1']);
  expect(stdout).toMatch(/^box\.glb: failed: hang 1 ms were over/);
  expect(status).toBe(1);
});

test('the command ends with status 2 without files, and for unknown arguments', async () => {
  const empty = folderWith([]);
  for (const [args, message] of [
    [['no/such/folder'], /^The folder "no\/such\/folder" does not exist\.\n$/],
    [[empty], /^The folder ".*" has no \.gltf or \.glb file\.\n$/],
    [['package.json'], /^"package\.json" is not a folder\.\n$/],
    [[], /^No folder was named\.\nUsage: /],
    [[empty, '--threading', 'both'], /^There is no threading mode "both"\.\nUsage: /],
    [[empty, '--pictures'], /^Unknown option '--pictures'.*\nUsage: /],
  ] as const) {
    const { status, stdout, stderr } = await runCommand(args);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  }
});

test('JPEG images show their colours, embedded and beside the file', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  const pictures = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 32;
    const context = canvas.getContext('2d')!;
    for (const [index, color] of ['#e02020', '#20a040', '#2040d0', '#e0c020'].entries()) {
      context.fillStyle = color;
      context.fillRect((index % 2) * 16, Math.floor(index / 2) * 16, 16, 16);
    }
    const jpeg = await new Promise<Blob>((resolve) =>
      canvas.toBlob((blob) => resolve(blob!), 'image/jpeg', 0.95),
    );
    const dataUri = (blob: Blob) =>
      new Promise<string>((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result as string);
        reader.readAsDataURL(blob);
      });
    // A square from −1 to 1 in X and Y, facing +Z; texture coordinates have their origin at the top left.
    const numbers = Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0);
    const indices = Uint16Array.of(0, 1, 2, 0, 2, 3);
    const uri = await dataUri(new Blob([numbers, indices]));
    const gltf = (image: string) =>
      JSON.stringify({
        asset: { version: '2.0' },
        extensionsUsed: ['KHR_materials_unlit'],
        scenes: [{ nodes: [0] }],
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
        materials: [
          {
            pbrMetallicRoughness: { baseColorTexture: { index: 0 } },
            extensions: { KHR_materials_unlit: {} },
          },
        ],
        textures: [{ source: 0 }],
        images: [{ uri: image }],
        accessors: [
          { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] },
          { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' },
          { bufferView: 2, componentType: 5123, count: 6, type: 'SCALAR' },
        ],
        bufferViews: [
          { buffer: 0, byteLength: 48 },
          { buffer: 0, byteOffset: 48, byteLength: 32 },
          { buffer: 0, byteOffset: 80, byteLength: 12 },
        ],
        buffers: [{ byteLength: 92, uri }],
      });
    const results: { type: string; warnings: readonly string[]; pixels: number[][] }[] = [];
    for (const source of [
      [new File([gltf(await dataUri(jpeg))], 'inside.gltf')],
      [new File([gltf('picture.jpg')], 'beside.gltf'), new File([jpeg], 'picture.jpg')],
    ]) {
      const engine = await window.fencepost.createEngine(window.kit.view);
      const { world } = engine;
      const level = await world.load(source);
      world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
      await engine.step(0);
      await engine.whenReady();
      const frame = await engine.captureFrame();
      const pixels = [
        [32, 32],
        [96, 32],
        [32, 96],
        [96, 96],
      ].map(([x, y]) => window.kit.pixel(frame, x!, y!));
      results.push({ type: jpeg.type, warnings: level.warnings, pixels });
      await engine.dispose();
    }
    return results;
  });
  const expected = [
    [0xe0, 0x20, 0x20, 255],
    [0x20, 0xa0, 0x40, 255],
    [0x20, 0x40, 0xd0, 255],
    [0xe0, 0xc0, 0x20, 255],
  ];
  for (const { type, warnings, pixels } of pictures) {
    expect(type).toBe('image/jpeg');
    expect(warnings).toEqual([]);
    for (const [index, pixel] of pixels.entries()) {
      for (const [channel, value] of pixel.entries()) {
        // JPEG changes flat colours by a few levels of 255.
        expect(Math.abs(value - expected[index]![channel]!), `square ${index}: ${pixel}`).toBeLessThanOrEqual(
          4,
        );
      }
    }
  }
});
