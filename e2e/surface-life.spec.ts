/**
 * Events in the life of a canvas: resize storms, zoom, removal, hiding, freezing. The picture follows, and
 * nothing accumulates.
 */
import { timeLimit } from '../scripts/lib/time-limits.mjs';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

const modes = ['single', 'render', 'render+rhi'] as const;

test('after a resize storm the last size is drawn and nothing accumulates, in every mode', async ({
  page,
  isolatedURL,
}) => {
  test.setTimeout(timeLimit(120_000));
  await openEnginePage(page, isolatedURL);
  const all = await page.evaluate(async (modes) => {
    const { kit } = window;
    const all = [];
    for (const threading of modes) {
      const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
      kit.addScene(engine);
      const events = kit.listen(engine);
      await engine.step(0);
      const reference = await kit.picture(engine);
      await engine.flush();
      const { liveResources } = engine.stats();
      engine.start();
      for (let size = 0; size < 40; size++) {
        kit.view.style.width = `${20 + ((size * 37) % 100)}px`;
        kit.view.style.height = `${(size * 53) % 90}px`; // sometimes zero
        await new Promise(requestAnimationFrame);
      }
      kit.view.style.width = kit.view.style.height = '';
      const resized = new Promise<void>((resolve) => {
        engine.addEventListener(
          'resize',
          ({ detail }) => detail.width === 128 && detail.height === 128 && resolve(),
        );
      });
      await resized;
      engine.stop();
      const after = await kit.picture(engine);
      await engine.flush();
      const stats = engine.stats();
      const { leaks } = await engine.dispose();
      all.push({
        isSame: after === reference,
        events,
        leaks,
        grown: stats.liveResources - liveResources,
        isBounded: stats.pendingReleases < 20,
      });
    }
    return all;
  }, modes);
  for (const result of all)
    expect(result).toEqual({ isSame: true, events: [], leaks: [], grown: 0, isBounded: true });
});

test('the canvas resolution follows the pixel ratio through zoom and a change of screen, and back', async ({
  page,
  isolatedURL,
}) => {
  // An emulated pixel ratio changes without the event of a real change. So the test replaces both the ratio and
  // the event.
  await page.addInitScript(() => {
    const queries: EventTarget[] = [];
    let ratio = 1;
    Object.defineProperty(window, 'devicePixelRatio', { get: () => ratio });
    window.matchMedia = () => {
      const query = new EventTarget();
      queries.push(query);
      return query as MediaQueryList;
    };
    Object.assign(window, {
      zoomTo: (next: number) => {
        ratio = next;
        for (const query of queries.splice(0)) query.dispatchEvent(new Event('change'));
      },
    });
  });
  await openEnginePage(page, isolatedURL);
  const result = await page.evaluate(async (modes) => {
    const { kit } = window;
    const { zoomTo } = window as unknown as { zoomTo(ratio: number): void };
    const all = [];
    for (const threading of modes) {
      const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
      kit.addScene(engine);
      const events = kit.listen(engine);
      const sizes: number[] = [];
      engine.addEventListener('resize', ({ detail }) => sizes.push(detail.width, detail.height));
      await engine.step(0);
      const before = await kit.picture(engine);
      const captured = [];
      for (const ratio of [2, 1.5, 0.75, 1]) {
        zoomTo(ratio);
        captured.push((await engine.captureFrame()).width);
      }
      const isSame = (await kit.picture(engine)) === before;
      await engine.dispose();
      all.push({ sizes, captured, isSame, events });
    }
    return all;
  }, modes);
  const widths = [256, 192, 96, 128];
  for (const each of result) {
    expect(each).toEqual({
      sizes: widths.flatMap((width) => [width, width]),
      captured: widths,
      isSame: true,
      events: [],
    });
  }
});

test('the canvas keeps its size if the pixel ratio changes while it is detached for less than a frame', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const sizes = await page.evaluate(async () => {
    const { kit } = window;
    const screen = new EventTarget();
    window.matchMedia = () => screen as MediaQueryList;
    const engine = await window.fencepost.createEngine(kit.view, { background: '#123' });
    const { canvas } = engine;
    const sizeOf = async () => {
      await engine.step(0);
      const { width, height } = await engine.captureFrame();
      return [width, height];
    };
    const before = await sizeOf();
    canvas.remove();
    screen.dispatchEvent(new Event('change'));
    kit.view.append(canvas);
    // The resize observer has run by the second frame.
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const after = await sizeOf();
    await engine.dispose();
    return { before, after };
  });
  expect(sizes.after).toEqual(sizes.before);
});

test('a canvas that is removed and put back, in the same place or elsewhere, shows the same picture', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const result = await page.evaluate(async (modes) => {
    const { kit } = window;
    const all = [];
    for (const threading of modes) {
      const engine = await window.fencepost.createEngine(kit.view, { threading, background: '#123' });
      kit.addScene(engine);
      const events = kit.listen(engine);
      await engine.step(0);
      const pictures = [await kit.picture(engine)];
      engine.start();
      const elsewhere = document.createElement('div');
      elsewhere.style.cssText = 'width:128px;height:128px';
      document.body.append(elsewhere);
      for (const place of [kit.view, elsewhere, kit.view]) {
        const { canvas } = engine;
        const gone = new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
        canvas.remove();
        await gone;
        await engine.step(0); // has no canvas to draw to and resolves all the same
        const back = new Promise((resolve) => engine.addEventListener('resize', resolve, { once: true }));
        place.append(canvas);
        await back;
        pictures.push(await kit.picture(engine));
      }
      elsewhere.remove();
      const { leaks } = await engine.dispose();
      all.push({ pictures: new Set(pictures).size, events, leaks });
    }
    return all;
  }, modes);
  for (const each of result) expect(each).toEqual({ pictures: 1, events: [], leaks: [] });
});

test('a page that was hidden, frozen or in the background resumes within an animation frame, without errors or growth', async ({
  page,
  isolatedURL,
}) => {
  // Headless pages are never hidden or frozen. So the test replaces the visibility and dispatches the events.
  await page.addInitScript(() => {
    let isHidden = false;
    Object.defineProperty(Document.prototype, 'hidden', { get: () => isHidden });
    Object.assign(window, {
      hide: (hidden: boolean) => {
        isHidden = hidden;
        document.dispatchEvent(new Event('visibilitychange'));
      },
    });
  });
  await page.clock.install();
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const { kit } = window;
    const engine = await window.fencepost.createEngine(kit.view, { background: '#123' });
    kit.addScene(engine);
    const events = kit.listen(engine);
    await engine.step(0);
    const reference = await kit.picture(engine);
    await engine.flush();
    Object.assign(window, { engine, events, reference, before: engine.stats() });
    engine.start();
    (window as unknown as { hide(hidden: boolean): void }).hide(true);
    for (const type of ['pagehide', 'freeze']) window.dispatchEvent(new Event(type));
  });
  await page.clock.runFor(60_000);
  await page.evaluate(async () => {
    const { engine } = window as unknown as { engine: import('fencepost').Engine };
    for (let index = 0; index < 200; index++) {
      const { boxGeometry, standardMaterial } = window.fencepost;
      engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() }).destroy();
    }
  });
  await page.clock.runFor(3_600_000 / 10);
  const result = await page.evaluate(async () => {
    const held = window as unknown as {
      engine: import('fencepost').Engine;
      events: string[];
      reference: string;
      before: { frame: number; liveResources: number };
      hide(hidden: boolean): void;
    };
    const { engine, events, reference, before, hide } = held;
    const hiddenFrames = engine.stats().frame - before.frame;
    for (const type of ['resume', 'pageshow']) window.dispatchEvent(new Event(type));
    hide(false);
    return { hiddenFrames, engine: null, reference, events, before: null };
  });
  expect(result.hiddenFrames).toBeLessThanOrEqual(1);
  await page.clock.runFor(20); // one animation frame
  const after = await page.evaluate(async () => {
    const { engine, events, reference, before } = window as unknown as {
      engine: import('fencepost').Engine;
      events: string[];
      reference: string;
      before: { frame: number; liveResources: number };
    };
    const frames = engine.stats().frame - before.frame;
    engine.stop();
    const isSame = (await window.kit.picture(engine)) === reference;
    await engine.flush();
    const { liveResources, pendingReleases } = engine.stats();
    await engine.dispose();
    return { frames, isSame, events, grown: liveResources - before.liveResources, pendingReleases };
  });
  expect(after.frames).toBeGreaterThanOrEqual(1);
  expect(after).toMatchObject({ isSame: true, events: [], grown: 0, pendingReleases: 0 });
});
