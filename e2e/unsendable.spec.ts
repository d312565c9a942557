/**
 * Data that can't be sent to another thread causes an error about the object that has the data. Examples are an
 * image of another origin and a geometry of gigabytes. Frames are still produced, the loop continues, and all
 * other objects show.
 */
import type { Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

/** Serves an image from another origin without CORS headers. Returns its address. */
async function serveForeignImage(page: Page, origin: string): Promise<string> {
  const url = `${origin}/foreign.png`;
  const png = new PNG({ width: 2, height: 2 });
  png.data.fill(255);
  await page.route(url, (route) =>
    route.fulfill({ contentType: 'image/png', body: PNG.sync.write(png), headers: {} }),
  );
  return url;
}

for (const threading of modes) {
  test(`a tainted image affects only its own texture: ${threading}`, async ({
    page,
    plainURL,
    isolatedURL,
  }) => {
    const url = await serveForeignImage(page, isolatedURL);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(
      async ([threading, url]) => {
        const { createEngine, planeGeometry, texture, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, { threading });
        const errors: { code: string; message: string }[] = [];
        engine.addEventListener('error', ({ detail: { code, message } }) => errors.push({ code, message }));
        const { world } = engine;
        world.addCamera({ position: [0, 0, 1], orthographic: { halfHeight: 0.5 } });
        const image = new Image();
        image.src = url;
        await image.decode();
        const material = unlitMaterial({ baseColor: '#0f0' });
        world.addMesh({ geometry: planeGeometry(), material });
        engine.start();
        await engine.whenReady();
        // The sources are an image element and a bitmap of it.
        for (const source of [image as unknown as ImageBitmap, await createImageBitmap(image)]) {
          material.baseColorTexture = texture(source, { name: 'foreign' });
          await engine.step(0);
          await engine.whenReady();
          await engine.step(0);
        }
        const without = window.kit.pixel(await engine.captureFrame(), 64, 64);
        const before = engine.stats().frame;
        while (engine.stats().frame < before + 3) await new Promise(requestAnimationFrame);
        const blue = new ImageData(new Uint8ClampedArray([0, 0, 255, 255]), 1, 1);
        material.baseColor = '#fff';
        material.baseColorTexture = texture(await createImageBitmap(blue));
        await engine.step(0);
        await engine.whenReady();
        await engine.flush();
        const withGood = window.kit.pixel(await engine.captureFrame(), 64, 64);
        const { leaks } = await engine.dispose();
        return { errors, without, withGood, leaks };
      },
      [threading, url] as const,
    );
    expect(result.errors.map(({ code }) => code)).toEqual(['texture-load-failed', 'texture-load-failed']);
    expect(result.errors[0]!.message).toMatch(/"foreign".*another origin.*crossOrigin/);
    expect(result).toMatchObject({ without: [0, 255, 0, 255], withGood: [0, 0, 255, 255], leaks: [] });
  });

  test(`a geometry of 90 million vertices is refused on creation: ${threading}`, async ({
    page,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/device was lost/i);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(async (threading) => {
      const { createEngine, geometry } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading });
      const events = window.kit.listen(engine);
      window.kit.addScene(engine);
      await engine.step(0);
      const { retainedBytes } = engine.stats();
      const positions = { length: 90_000_000 * 3 };
      const refusal = await window.kit.refusal(() => geometry({ positions, normals: positions }));
      await engine.step(0);
      const before = await window.kit.picture(engine);
      const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
      await engine.simulateDeviceLoss();
      await restored;
      await engine.step(0);
      const isSame = (await window.kit.picture(engine)) === before;
      const grown = engine.stats().retainedBytes - retainedBytes;
      await engine.dispose();
      return { refusal, grown, isSame, events };
    }, threading);
    expect(result).toMatchObject({
      refusal: { name: 'SceneError', code: 'limit-exceeded' },
      grown: 0,
      isSame: true,
      events: ['devicelost destroyed', 'devicerestored'],
    });
  });
}

for (const threading of ['render', 'render+rhi'] as const) {
  test(`a geometry that can’t be sent to a thread is an error of its mesh: ${threading}`, async ({
    page,
    plainURL,
    expectErrors,
  }) => {
    expectErrors(/device was lost/i);
    await openEnginePage(page, plainURL);
    const result = await page.evaluate(async (threading) => {
      const { createEngine, boxGeometry } = window.fencepost;
      const engine = await createEngine(window.kit.view, { threading });
      const events = window.kit.listen(engine);
      window.kit.addScene(engine);
      await engine.step(0);
      const picture = await window.kit.picture(engine);
      const { retainedBytes } = engine.stats();
      // The browser can't transfer WebAssembly's memory, and copying it is cheap.
      const { buffer } = new WebAssembly.Memory({ initial: 1 });
      buffer.slice = () => buffer;
      const mesh = engine.world.addMesh({ geometry: Object.assign(boxGeometry(), { data: buffer }) });
      await engine.step(0);
      const isSame = (await window.kit.picture(engine)) === picture;
      mesh.destroy();
      await engine.step(0);
      const grown = engine.stats().retainedBytes - retainedBytes;
      const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
      await engine.simulateDeviceLoss();
      await restored;
      await engine.step(0);
      const { leaks } = await engine.dispose();
      return { isSame, grown, events, leaks };
    }, threading);
    expect(result).toEqual({
      isSame: true,
      grown: 0,
      events: ['error limit-exceeded', 'devicelost destroyed', 'devicerestored'],
      leaks: [],
    });
  });

  for (const isIsolated of [true, false]) {
    test(`R9: an attachment lost in transit is reported with its number and sent again: ${threading}, ${isIsolated ? 'isolated' : 'not isolated'}`, async ({
      page,
      plainURL,
      isolatedURL,
    }) => {
      // Drops the first image, as browsers do with messages that they can't deserialise.
      await page.addInitScript(() => {
        const { postMessage } = MessagePort.prototype;
        let isDropped = false;
        MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: never[]) {
          if (!isDropped && Array.isArray(message) && message.at(-1) instanceof ImageBitmap) isDropped = true;
          else postMessage.apply(this, [message, ...rest] as never);
        };
      });
      await openEnginePage(page, isIsolated ? isolatedURL : plainURL);
      const result = await page.evaluate(async (threading) => {
        const { createEngine, planeGeometry, texture, unlitMaterial } = window.fencepost;
        const engine = await createEngine(window.kit.view, {
          threading,
          watchdog: { reportSeconds: 0.3, restartSeconds: 0.6 },
        });
        const errors: { code: string; message: string }[] = [];
        engine.addEventListener('error', ({ detail: { code, message } }) => errors.push({ code, message }));
        const { world } = engine;
        world.addCamera({ position: [0, 0, 1], orthographic: { halfHeight: 0.5 } });
        const blue = new ImageData(new Uint8ClampedArray([0, 0, 255, 255]), 1, 1);
        const baseColorTexture = texture(await createImageBitmap(blue));
        world.addMesh({ geometry: planeGeometry(), material: unlitMaterial({ baseColorTexture }) });
        await engine.step(0);
        await engine.whenReady();
        await engine.step(0);
        const pixel = window.kit.pixel(await engine.captureFrame(), 64, 64);
        await engine.dispose();
        return { errors, pixel };
      }, threading);
      expect(result.errors.map(({ code }) => code)).toEqual(['attachment-late', 'attachment-lost']);
      expect(result.errors[0]!.message).toMatch(/attachment \d+, which a record "createTexture" names/);
      expect(result.pixel).toEqual([0, 0, 255, 255]);
    });
  }
}
