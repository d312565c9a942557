import type { ActorEvent, Engine, View } from 'fencepost';
import { expect, test } from './fixtures.js';
import { changesOf, modesOf } from './threading-modes.js';
import { openWallsPage } from './walls.js';

// R11: views on their own canvases, from one engine and device, through the public API. Pixels are read from
// `captureFrame` and from the canvases on the page, which must agree.

declare global {
  interface Window {
    canvases: ReturnType<typeof createCanvases>;
  }
}

/** Returns helpers that run in the page: the walls, and canvases. */
function createCanvases() {
  return {
    ...window.walls,
    addCanvas(width: number, height: number): HTMLCanvasElement {
      const canvas = document.createElement('canvas');
      canvas.style.cssText = `display:block;width:${width}px;height:${height}px`;
      document.body.append(canvas);
      return canvas;
    },
    /** Returns the size and the middle colour of a view's picture, as `captureFrame` reads it back. */
    async look(view: View): Promise<string> {
      const { width, height, data } = await view.captureFrame();
      const at = ((height >> 1) * width + (width >> 1)) * 4;
      return `${width}x${height} ${data.slice(at, at + 3).join()}`;
    },
    /**
     * Returns the colour that a view's canvas shows once it has been presented. Canvases that are drawn on this
     * thread can't be read, so it returns `null` for them.
     */
    async seen({ canvas }: View, { threading }: Engine): Promise<string | null> {
      if (threading === 'single') return null;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const copy = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
      copy.drawImage(canvas as HTMLCanvasElement, 0, 0, 1, 1);
      return copy.getImageData(0, 0, 1, 1).data.slice(0, 3).join();
    },
    codeOf(call: () => unknown): string {
      try {
        call();
        return 'none';
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
  };
}

const [RED, GREEN, BLUE] = ['255,0,0', '0,255,0', '0,0,255'];

for (const isolated of [true, false]) {
  test(`R11: views draw to their own canvases, which follow their elements, in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openWallsPage(page, isolated ? isolatedURL : plainURL);
    await page.evaluate(`window.canvases = (${createCanvases})()`);
    const results = await page.evaluate(async (modes) => {
      const { canvases, kit } = window;
      const results: Record<string, unknown>[] = [];
      for (const [threading, nextMode] of modes) {
        const engine = await canvases.create({ threading, validation: true });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
        const [red, green, blue] = canvases.addCameras(engine, 3) as [never, never, never];
        const first = canvases.addCanvas(48, 32);
        const container = document.createElement('div');
        container.style.cssText = 'width:20px;height:30px';
        document.body.append(container);
        const left = engine.addView({ camera: red, canvas: first });
        const right = engine.addView({ camera: green, canvas: container });
        const unseen = new OffscreenCanvas(16, 8);
        const off = engine.addView({
          camera: red,
          canvas: unseen,
          rect: { x: 0.5, y: 0, width: 0.5, height: 1 },
        });
        await engine.step(0);
        const log: Record<string, unknown> = {};
        log.first = [await canvases.look(left), await canvases.look(right), await canvases.look(off)];
        log.own = kit
          .pixel(await engine.captureFrame(), 64, 64)
          .slice(0, 3)
          .join();
        log.seen = [await canvases.seen(left, engine), await canvases.seen(right, engine)];
        const off2 = engine.addView({
          camera: red,
          rect: { x: 0, y: 0, width: 0.1, height: 0.1 },
          enabled: false,
        });
        await engine.step(0);
        const counts = (): unknown[] =>
          engine
            .stats()
            .views.map(({ view, ...each }) => [
              [null, left, right, off, off2].indexOf(view),
              ...Object.values(each),
            ]);
        log.counts = counts();
        off2.dispose();
        log.isSame = [left.canvas === first, right.canvas === container.firstChild, off.canvas === unseen];

        // Sizes and a camera change, and a view is switched off and on.
        first.style.width = '24px';
        engine.pixelRatio = 2;
        left.camera = blue;
        right.enabled = false;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        await engine.step(0);
        log.resized = [await canvases.look(left), await canvases.seen(right, engine)];
        engine.pixelRatio = 1;
        right.enabled = true;
        log.again = [await canvases.look(left), await canvases.look(right)];

        // A new device keeps the canvases. New threads replace the canvases whose control was transferred.
        const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
        await engine.simulateDeviceLoss();
        await restored;
        log.restored = [await canvases.look(left), await canvases.look(right), await canvases.look(off)];
        log.isSameStill = left.canvas === first;
        const changes: string[] = [];
        engine.addEventListener('surfacechange', ({ detail: { view, oldCanvas, newCanvas } }) => {
          const name = view === left ? 'left' : view === right ? 'right' : view ? 'other' : 'own';
          changes.push(`${name} ${oldCanvas.isConnected} ${newCanvas.isConnected}`);
        });
        off.dispose();
        await engine.setThreading(nextMode);
        await engine.step(0);
        log.countsMoved = counts();
        log.moved = [await canvases.look(left), await canvases.look(right)];
        log.movedSeen = [await canvases.seen(left, engine), await canvases.seen(right, engine)];
        log.isConnected = [(left.canvas as HTMLCanvasElement).isConnected, container.children.length];
        const keepsCanvas = threading === 'render';
        log.changes = keepsCanvas === (changes.length === 0) ? changes.sort().slice(0, 0) : changes;

        // A released canvas can be used by another view, and the disposed engine leaves no canvas behind.
        left.dispose();
        left.dispose();
        const place = document.querySelectorAll('canvas').length;
        const next = engine.addView({
          camera: green,
          canvas: document.body.lastElementChild?.previousElementSibling as never,
        });
        log.next = [await canvases.look(next), document.querySelectorAll('canvas').length === place];
        log.leaks = (await engine.dispose()).leaks;
        log.left = container.children.length;
        for (const element of document.querySelectorAll('body > canvas, body > div')) {
          if (element !== kit.view && !element.contains(kit.view)) element.remove();
        }
        results.push({ ...log, errors });
      }
      return results;
    }, changesOf(isolated));
    for (const [index, result] of results.entries()) {
      const [mode, nextMode] = changesOf(isolated)[index]!;
      // Canvases that are drawn on the page's thread can't be read.
      const seen = (color: string, threading = mode): string | null =>
        threading === 'single' ? null : color;
      expect(result).toEqual({
        first: [`48x32 ${RED}`, `20x30 ${GREEN}`, `16x8 ${RED}`],
        own: BLUE,
        seen: [seen(RED), seen(GREEN)],
        // Each row: the view, whether it is drawn, primitives, draw calls, instances.
        counts: [
          [0, true, 1, 1, 1],
          [1, true, 1, 1, 1],
          [2, true, 1, 1, 1],
          [3, true, 1, 1, 1],
          [4, false, 0, 0, 0],
        ],
        countsMoved: [
          [0, true, 1, 1, 1],
          [1, true, 1, 1, 1],
          [2, true, 1, 1, 1],
        ],
        isSame: [true, true, true],
        resized: [`48x64 ${BLUE}`, seen(GREEN)],
        again: [`24x32 ${BLUE}`, `20x30 ${GREEN}`],
        restored: [`24x32 ${BLUE}`, `20x30 ${GREEN}`, `16x8 ${RED}`],
        isSameStill: true,
        moved: [`24x32 ${BLUE}`, `20x30 ${GREEN}`],
        movedSeen: [seen(BLUE, nextMode), seen(GREEN, nextMode)],
        isConnected: [true, 1],
        changes: [],
        next: [`24x32 ${GREEN}`, true],
        leaks: [],
        left: 0,
        errors: [],
      });
    }
  });
}

test('R11, R9, G5: a view’s canvas outlives a killed worker, can be hidden, and is captured beside the engine’s canvas', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  test.slow();
  expectErrors(/worker/);
  await openWallsPage(page, isolatedURL);
  await page.evaluate(`window.canvases = (${createCanvases})()`);
  const results = await page.evaluate(async () => {
    const { canvases, kit } = window;
    const started: Worker[] = [];
    const Native = Worker;
    window.Worker = class extends Native {
      constructor(...parameters: ConstructorParameters<typeof Native>) {
        super(...parameters);
        started.push(this);
      }
    };
    const log: Record<string, unknown> = {};
    for (const threading of ['render', 'render+rhi'] as const) {
      started.length = 0;
      const watchdog = { reportSeconds: 0.5, restartSeconds: 1 };
      const engine = await canvases.create({ threading, watchdog });
      const codes = new Set<string>();
      engine.addEventListener('error', ({ detail }) => codes.add(detail.code));
      const [red, green] = canvases.addCameras(engine, 2) as [never, never];
      const canvas = canvases.addCanvas(40, 20);
      canvas.id = 'side';
      const unseen = new OffscreenCanvas(8, 8);
      const side = engine.addView({ camera: red, canvas });
      const off = engine.addView({ camera: red, canvas: unseen });
      await engine.step(0);
      const drawn = [await canvases.look(side), await canvases.look(off)];
      const changes: boolean[] = [];
      engine.addEventListener('surfacechange', ({ detail }) => changes.push(detail.view === side));
      const restarted = new Promise((resolve) => engine.addEventListener('threadrestarted', resolve));
      const pending = engine.step(0);
      for (const worker of started) worker.terminate();
      await restarted;
      await pending;
      const again = await canvases.look(side);
      const seen = await canvases.seen(side, engine);
      const next = side.canvas as HTMLCanvasElement;
      next.style.display = 'none';
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const hidden = await side.captureFrame().catch((error: { code: string }) => error.code);
      await engine.step(0);
      next.style.display = 'block';
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const shown = await canvases.look(side);
      const own = kit
        .pixel(await engine.captureFrame(), 64, 64)
        .slice(0, 3)
        .join();
      const split = engine.addView({ camera: red, rect: { x: 0.5, y: 0, width: 0.5, height: 0.5 } });
      await engine.step(0);
      const part = await canvases.look(split);
      side.camera = green;
      const turned = await canvases.look(side);
      const leaks = (await engine.dispose()).leaks;
      const ids = document.querySelectorAll('#side').length;
      document.querySelector('#side')?.remove();
      const gone = off.canvas;
      log[threading] = {
        ...{ drawn, again, seen, hidden, shown, own, part, turned, ids, leaks, gone },
        ...{ isOther: next !== canvas, changes: changes.sort(), codes: [...codes].sort() },
      };
    }
    return log;
  });
  for (const threading of ['render', 'render+rhi']) {
    expect(results[threading]).toEqual({
      drawn: [`40x20 ${RED}`, `8x8 ${RED}`],
      again: `40x20 ${RED}`,
      seen: RED,
      hidden: 'canvas-hidden',
      shown: `40x20 ${RED}`,
      own: GREEN,
      part: `64x64 ${RED}`,
      turned: `40x20 ${GREEN}`,
      ids: 1,
      leaks: [],
      gone: null,
      isOther: true,
      changes: [false, true],
      // The page's own OffscreenCanvas has died with its worker.
      codes: expect.arrayContaining(['canvas-lost']),
    });
  }
});

for (const isolation of ['isolated', 'not isolated'] as const) {
  test(`views pick in their canvas, rectangle or texture, and actors receive pointer events there, in every mode, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    test.slow();
    await openWallsPage(page, isolation === 'isolated' ? isolatedURL : plainURL);
    await page.evaluate(`window.canvases = (${createCanvases})()`);
    const results = await page.evaluate(async (modes) => {
      const { canvases, fencepost } = window;
      const all: unknown[] = [];
      for (const [threading, nextMode] of modes) {
        const engine = await canvases.create({ threading });
        const { world } = engine;
        const [left, right] = canvases.addCameras(engine, 3) as [never, never];
        const ball = { geometry: fencepost.sphereGeometry({ radius: 1 }), position: [101, 0, 0] } as const;
        const actor = world.addMesh({ ...ball, name: 'ball' });
        const heard: string[] = [];
        const report = (event: ActorEvent) =>
          heard.push(
            `${event.type} ${event.hit?.position.map((value) => Math.round(value)).join() ?? 'nowhere'}`,
          );
        for (const type of ['click', 'pointerenter', 'pointerleave'] as const)
          actor.addEventListener(type, report);
        const side = engine.addView({ camera: right, canvas: canvases.addCanvas(80, 40) });
        const rect = engine.addView({ camera: right, rect: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 } });
        const target = fencepost.renderTexture({ width: 64, height: 32 });
        const monitor = engine.addView({ camera: right, target });
        await engine.step(0);
        await engine.whenReady();
        // Picks at a share of a view's width and at half its height. The view's camera is at (100, 0, 5), and
        // the ball is on the right.
        const pickIn = async (view: View, width: number, height: number, share: number) => {
          const picked = await view.pick(width * share, height / 2);
          return picked && `${picked.actor.name} ${Math.round(picked.position[0])}`;
        };
        const picks: (string | null)[] = [];
        for (const [view, width, height] of [
          [side, 80, 40],
          [rect, 64, 64],
          [monitor, 64, 32],
        ] as const) {
          for (const share of [0.5 + 0.17 * (height / width), 0.1, 1.2]) {
            picks.push(await pickIn(view, width, height, share));
          }
        }
        // Dispatches a synthetic event at a position in the view's canvas.
        const point = async (type: string, x: number, y: number) => {
          const canvas = side.canvas as HTMLCanvasElement;
          const { left, top } = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y }));
          await engine.step(0);
          while (heard.length === 0) await engine.step(0);
          return heard.splice(0).join(' ');
        };
        const pointed = [await point('pointermove', 47, 20), await point('click', 47, 20)];
        await engine.setThreading(nextMode);
        await engine.step(0);
        await engine.step(0);
        pointed.push(await point('click', 47, 20), await point('pointermove', 5, 20));
        side.camera = left;
        side.enabled = false;
        const disabled = await side.pick(40, 20);
        const refused = await side.pick(Number.NaN, 0).catch((error: { code: string }) => error.code);
        const canvas = side.canvas as HTMLCanvasElement;
        side.dispose();
        canvas.remove();
        const { leaks } = await engine.dispose();
        all.push({ picks, pointed, disabled, refused, leaks });
      }
      return all;
    }, changesOf(isolation));
    const picks = ['ball 101', expect.stringMatching(/ 9\d$/), null];
    for (const result of results) {
      expect(result).toEqual({
        picks: [...picks, ...picks, ...picks],
        pointed: ['pointerenter 101,0,1', 'click 101,0,1', 'click 101,0,1', 'pointerleave 96,0,0'],
        disabled: null,
        refused: 'option-out-of-range',
        leaks: [],
      });
    }
    expect(results).toHaveLength(modesOf(isolation).length);
  });
}

test('R11, G5: canvases that a view can’t use give typed errors, and the engine continues', async ({
  page,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/canvas/i);
  await openWallsPage(page, isolatedURL);
  await page.evaluate(`window.canvases = (${createCanvases})()`);
  const seen = await page.evaluate(async () => {
    const { canvases, kit } = window;
    const { renderTexture } = window.fencepost;
    const engine = await canvases.create();
    const [red, green] = canvases.addCameras(engine, 2) as [never, never];
    const reported: string[] = [];
    engine.addEventListener('error', ({ detail }) => reported.push(detail.code));
    const canvas = canvases.addCanvas(30, 20);
    const view = engine.addView({ camera: red, canvas });
    const add =
      (options: object): (() => void) =>
      () =>
        engine.addView({ camera: red, ...options });
    const thrown = [
      add({ canvas }),
      add({ canvas: engine.canvas }),
      add({ canvas: null }),
      add({ canvas: '#side' }),
      add({ canvas: 5 }),
      add({ canvas: document.createElement('img') }),
      add({ canvas: canvases.addCanvas(1, 1), target: renderTexture({ width: 4, height: 4 }) }),
      add({ canvas: canvases.addCanvas(1, 1), camera: null }),
    ].map(canvases.codeOf);
    const unseen = new OffscreenCanvas(4, 4);
    const painted = canvases.addCanvas(9, 9);
    painted.getContext('2d');
    const transferred = canvases.addCanvas(9, 9);
    transferred.transferControlToOffscreen();
    const late: (readonly [string, object])[] = [
      ['zero', { canvas: new OffscreenCanvas(0, 4) }],
      ['large', { canvas: new OffscreenCanvas(16384, 4) }],
      ['twice', { canvas: unseen }],
      ['twice', { canvas: unseen }],
      ['painted', { canvas: painted }],
      ['transferred', { canvas: transferred }],
    ];
    const codes: string[] = [];
    for (const [name, options] of late) {
      reported.length = 0;
      const one = engine.addView({ camera: red, ...options });
      await engine.step(0);
      codes.push(`${name} ${reported.join()} ${one.canvas !== null}`);
    }
    // An element larger than the device's limit is drawn smaller, in its proportions.
    const large = canvases.addCanvas(16384, 16);
    const wide = engine.addView({ camera: red, canvas: large });
    const wideSize = await canvases.look(wide);
    wide.dispose();
    // A view whose camera was destroyed draws nothing.
    (red as { destroy(): void }).destroy();
    await engine.step(0);
    const camera = view.camera;
    view.camera = green;
    const rest = [
      await canvases.look(view),
      kit
        .pixel(await engine.captureFrame(), 64, 64)
        .slice(0, 3)
        .join(),
    ];
    // A view that is disposed of before its first frame, or with its engine, reports nothing.
    engine.addView({ camera: green, canvas: canvases.addCanvas(3, 3) }).dispose();
    reported.length = 0;
    await engine.step(0);
    engine.addView({ camera: green, canvas: canvases.addCanvas(3, 3) });
    const { leaks } = await engine.dispose();
    const next = await canvases.create();
    const [again] = canvases.addCameras(next, 1) as [never];
    // Another engine can use a canvas that this engine has released.
    const taken = await canvases.look(next.addView({ camera: again, canvas }));
    await next.dispose();
    return { thrown, codes, wideSize, camera, rest, reported, leaks, taken };
  });
  expect(seen).toEqual({
    thrown: [
      'canvas-in-use',
      'canvas-in-use',
      'canvas-missing',
      'canvas-missing',
      'canvas-missing',
      'option-invalid',
      'option-invalid',
      'option-invalid',
    ],
    codes: [
      'zero option-out-of-range false',
      'large option-out-of-range false',
      'twice  true',
      'twice canvas-in-use false',
      'painted canvas-in-use false',
      'transferred canvas-in-use false',
    ],
    wideSize: `8192x8 ${RED}`,
    camera: null,
    rest: [`30x20 ${GREEN}`, GREEN],
    reported: [],
    leaks: [],
    taken: `30x20 ${RED}`,
  });
});
