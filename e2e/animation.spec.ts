import type { Page } from '@playwright/test';
import type { Engine } from 'fencepost';
import { animatedGltf } from './animated-gltf.js';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES, modesOf } from './threading-modes.js';
import { holdWorkers } from './workers.js';

// Clips of glTF files, through the public API.

declare global {
  interface Window {
    theatre: ReturnType<typeof createTheatre>;
    animatedGltf: typeof animatedGltf;
  }
}

/** Returns helpers that run in the page. The camera shows 8 m of the plane z = 0, with 1/16 m per pixel. */
function createTheatre() {
  const { fencepost, kit } = window;
  return {
    async create(options = {}): Promise<Engine> {
      const engine = await fencepost.createEngine(kit.view, {
        background: '#000',
        antialias: false,
        ...options,
      });
      engine.world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
      return engine;
    },
    /** Returns the centre of all lit pixels in metres, rounded to 1/32, and the number of lit pixels. */
    async look(engine: Engine, seconds: number): Promise<[x: number, y: number, lit: number]> {
      await engine.step(seconds);
      const { data, width, height } = await engine.captureFrame();
      let [lit, x, y] = [0, 0, 0];
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          if ((data[(row * width + column) * 4] as number) < 128) continue;
          lit++;
          x += column + 0.5;
          y += row + 0.5;
        }
      }
      const metres = (sum: number): number => Math.round(((sum / lit - 64) / 16) * 32) / 32;
      return [metres(x), 0 - metres(y), lit];
    },
  };
}

async function openTheatre(page: Page, origin: string): Promise<void> {
  await openEnginePage(page, origin);
  await page.evaluate(`window.theatre = (${createTheatre})()`);
  await page.evaluate(`{
    const SIZES = { translation: 3, rotation: 4, scale: 3, weights: 1 };
    const TYPES = { 1: 'SCALAR', 3: 'VEC3', 4: 'VEC4' };
    window.animatedGltf = ${animatedGltf};
  }`);
}

for (const isolated of [true, false]) {
  test(`clips move their targets to the same places in every mode, ${isolated ? 'isolated' : 'not isolated'}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await openTheatre(page, isolated ? isolatedURL : plainURL);
    const seen = await page.evaluate(async (modes) => {
      const { theatre } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading, validation: true });
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const level = await engine.world.load(
          window.animatedGltf([
            {
              name: 'slide',
              channels: [
                { path: 'translation', times: [0, 1, 2], values: [0, 0, 0, 2, 0, 0, 2, 2, 0] },
                { path: 'scale', times: [0, 1], values: [1, 1, 1, 2, 1, 1], interpolation: 'STEP' },
              ],
            },
            {
              name: 'turn',
              channels: [
                { path: 'rotation', times: [0, 1], values: [0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2] },
              ],
            },
          ]),
        );
        const { animations, warnings } = level;
        const still = await theatre.look(engine, 0);
        const slide = level.play('slide');
        const reported: number[] = [];
        slide.onTime(1, () => reported.push(slide.time));
        const begun = await theatre.look(engine, 0);
        const half = await theatre.look(engine, 0.5);
        const one = await theatre.look(engine, 0.5);
        const more = await theatre.look(engine, 0.5);
        const time = slide.time;
        const again = await theatre.look(engine, 1);
        slide.stop();
        const stopped = await theatre.look(engine, 0.25);
        const { leaks } = await engine.dispose();
        results.push({
          animations: animations.map(({ name, duration }) => [name, duration]),
          looks: [still, begun, half, one, more, again, stopped],
          time,
          reported,
          warnings,
          leaks,
          errors,
        });
      }
      return results;
    }, modesOf(isolated));
    for (const result of seen) {
      expect(result).toEqual({
        animations: [
          ['slide', 2],
          ['turn', 1],
        ],
        looks: [
          [0, 0, 256],
          [0, 0, 256],
          [1, 0, 256],
          [2, 0, 512],
          [2, 1, 512],
          [1, 0, 256],
          [0, 0, 256],
        ],
        time: 1.5,
        reported: [1],
        warnings: [],
        leaks: [],
        errors: [],
      });
    }
  });
}

const SLIDE = {
  name: 'slide',
  channels: [{ path: 'translation', times: [0, 2], values: [0, 0, 0, 2, 0, 0] }],
} as const;

test('a clip repeats, plays once or ping-pong, at any speed, and stops exactly at the requested time', async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre } = window;
    const engine = await theatre.create();
    const level = await engine.world.load(window.animatedGltf([slide]));
    const root = level.actors[0]!.root;
    const results: Record<string, unknown> = {};
    const along = async (name: string, options: object, steps: readonly number[]): Promise<void> => {
      const playback = level.play(0, options);
      let isFinished = false;
      void playback.finished.then(() => {
        isFinished = true;
      });
      const places: number[] = [];
      for (const seconds of [0, ...steps]) {
        const [x] = await theatre.look(engine, seconds);
        // The position that the game reads equals the drawn one.
        places.push(Math.abs(x - root.position.x) < 0.05 ? x : Number.NaN);
      }
      results[name] = [...places, isFinished];
      playback.stop();
    };
    await along('repeat', {}, [1, 0.5, 1]);
    await along('once', { loop: 'once' }, [1, 2, 1]);
    await along('ping-pong', { loop: 'ping-pong' }, [1, 1.5, 1.5]);
    await along('backwards', { speed: -1, startSeconds: 1.5 }, [1, 1]);
    await along('backwards once', { speed: -2, loop: 'once' }, [0.5, 1]);
    await along('twice as fast', { speed: 2, startSeconds: 0.5 }, [0.25]);
    await along('still', { speed: 0, startSeconds: 2 }, [1, 1]);
    results.rest = (await theatre.look(engine, 0))[0];
    return results;
  }, SLIDE);
  expect(seen).toEqual({
    repeat: [0, 1, 1.5, 0.5, false],
    once: [0, 1, 2, 2, true],
    'ping-pong': [0, 1, 1.5, 0, false],
    backwards: [1.5, 0.5, 1.5, false],
    'backwards once': [2, 1, 0, true],
    'twice as fast': [0.5, 1, false],
    still: [2, 2, 2, false],
    rest: 0,
  });
});

test('onTime fires when a clip passes a time: in each round, in both directions, at its ends, and not on a seek', async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre } = window;
    const engine = await theatre.create();
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const level = await engine.world.load(window.animatedGltf([slide]));
    const reported: Record<string, string[]> = {};
    /** Returns, per frame, the times that `onTime` reported. */
    const along = async (name: string, options: object, steps: readonly number[]) => {
      const playback = level.play(0, options);
      let times: number[] = [];
      for (const seconds of [0, 0.75, 2]) playback.onTime(seconds, () => times.push(seconds));
      const frames: string[] = [];
      for (const seconds of [0, ...steps]) {
        await engine.step(seconds);
        frames.push(times.join('+'));
        times = [];
      }
      reported[name] = frames;
      return playback;
    };
    (await along('repeat', {}, [0.5, 0.5, 1, 0.5, 4])).stop();
    (await along('once', { loop: 'once' }, [0.75, 2, 1])).stop();
    (await along('there and back', { loop: 'ping-pong' }, [1, 1, 1, 0.5, 0.5])).stop();
    (await along('backwards', { speed: -1, startSeconds: 1 }, [0.5, 0.5])).stop();
    // The playback seeks past 0.5 s, and speeds up on the way back. Then the listener at 0.5 s is removed. The
    // listener at 1.5 s always throws.
    const playback = level.play(0, { loop: 'ping-pong' });
    const calls: number[] = [];
    const end = playback.onTime(0.5, () => calls.push(playback.time));
    playback.onTime(1.5, () => {
      throw new Error('on purpose');
    });
    await engine.step(0);
    playback.time = 1;
    await engine.step(0);
    await engine.step(0.75);
    await engine.step(0.5);
    const [before] = await theatre.look(engine, 0);
    playback.speed = 2;
    await engine.step(0);
    const [after] = await theatre.look(engine, 0.5);
    await engine.step(0.25);
    end();
    await engine.step(0.5);
    const refused = [3, -1, Number.NaN].map((seconds) => {
      try {
        playback.onTime(seconds, () => {});
        return 'taken';
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    return { reported, calls, before, after, errors, refused };
  }, SLIDE);
  expect(seen).toEqual({
    reported: {
      repeat: ['0', '', '0.75', '0+2', '', '0+0.75+2'],
      once: ['0', '0.75', '2', ''],
      'there and back': ['0', '0.75', '2', '', '0.75', '0'],
      backwards: ['', '0.75', '0+2'],
    },
    calls: [0.25],
    before: 1.75,
    after: 0.75,
    errors: Array(2).fill('A listener at 1.5 s of "slide" threw: on purpose'),
    refused: Array(3).fill('option-out-of-range'),
  });
});

test("a page's changes to playbacks, between frames and in ticks, are drawn in every mode", async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(
    async ({ slide, modes }) => {
      const { theatre } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading });
        const { world } = engine;
        const level = await world.load(window.animatedGltf([slide]));
        const root = level.actors[0]!.root;
        /** Returns the drawn X of the square, or NaN if the game reads another position. */
        const look = async (seconds: number): Promise<number> => {
          const [x] = await theatre.look(engine, seconds);
          return Math.abs(x - root.position.x) < 0.05 ? x : Number.NaN;
        };
        const slider = level.play(0);
        const stepped = [await look(0)];
        for (let step = 0; step < 6; step++) {
          slider.speed = 1;
          stepped.push(await look(0.25));
        }
        slider.speed = 0;
        stepped.push(await look(1));
        slider.stop();
        const once = level.play(0, { loop: 'once' });
        const reported: number[] = [];
        for (const seconds of [0, 1, 2]) once.onTime(seconds, () => reported.push(seconds));
        let isFinished = false;
        void once.finished.then(() => {
          isFinished = true;
        });
        const endTicks = world.onTick(() => {
          once.weight = 1;
          once.speed = 1;
        });
        const ticked = [await look(0), await look(1.5), isFinished, await look(1), isFinished];
        endTicks();
        once.stop();
        // A clip at rest at 1.3 s draws the same pixels as a clip that runs to 1.3 s. A time that was rounded to
        // 32 bits would not equal 1.3.
        const pixels = async () => (await engine.captureFrame()).data.join();
        const still = level.play(0, { speed: 0, startSeconds: 1.3 });
        await engine.step(0);
        const pictures = [await pixels()];
        const times = [still.time];
        still.stop();
        const run = level.play(0);
        for (const seconds of [0, 1.3]) await engine.step(seconds);
        pictures.push(await pixels());
        times.push(run.time);
        run.stop();
        const beyond = [];
        for (const options of [{ speed: 0 }, {}, { loop: 'once' }] as const) {
          const playback = level.play(0, { ...options, startSeconds: 5 });
          beyond.push(await look(0));
          playback.stop();
        }
        await engine.dispose();
        results.push({ stepped, ticked, reported, isSame: pictures[0] === pictures[1], times, beyond });
      }
      return results;
    },
    { slide: SLIDE, modes: MODES },
  );
  for (const result of seen) {
    expect(result).toEqual({
      stepped: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.5],
      ticked: [0, 1.5, false, 2, true],
      reported: [0, 1, 2],
      isSame: true,
      times: [1.3, expect.closeTo(1.3, 12)],
      beyond: [1, 1, 2],
    });
  }
});

test("a page's write after the end of a clip persists, also at the clip's last pose, in every mode", async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(
    async ({ slide, modes }) => {
      const { theatre } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading });
        const level = await engine.world.load(window.animatedGltf([slide]));
        const root = level.actors[0]!.root;
        const look = async () => [(await theatre.look(engine, 0))[0], root.position.x];
        const once = level.play(0, { loop: 'once' });
        for (const seconds of [0, 2, 1]) await engine.step(seconds);
        const pose = [...root.position];
        once.stop();
        root.position = pose;
        const kept = [await look(), await look()];
        // Another clip starts in the same frame and blends with the written position.
        const held = level.play(0, { speed: 0, startSeconds: 1 });
        await engine.step(0);
        held.stop();
        root.position = [1, 0, 0];
        const next = level.play(0, { speed: 0, startSeconds: 0, weight: 0.5 });
        const mixed = await look();
        next.stop();
        results.push([...kept, mixed, await look()]);
        await engine.dispose();
      }
      return results;
    },
    { slide: SLIDE, modes: MODES },
  );
  const places = [2, 2, 0.5, 1].map((x) => [x, x]);
  expect(seen).toEqual([places, places, places]);
});

test('an actor moved by a clip and a declared motion is read, hit and bounded where it shows, whichever starts first', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(
    async ({ slide, modes }) => {
      const { theatre, fencepost } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading });
        const { world } = engine;
        for (const isMotionFirst of [true, false]) {
          const level = await world.load(window.animatedGltf([slide]));
          const actor = level.actors[0]!;
          const looks: unknown[] = [];
          const look = async (seconds: number): Promise<void> => {
            const [x, y] = await theatre.look(engine, seconds);
            const { x: readX, y: readY } = actor.root.position;
            const middle = [0, 1].map((axis) => {
              const { min, max } = level.bounds!;
              return ((min[axis] as number) + (max[axis] as number)) / 2;
            }) as [number, number];
            const isHit = world.raycast([x, y, 5], [0, 0, -1])?.actor === actor;
            const isRead = Math.hypot(readX - x, readY - y) < 0.1;
            const isBounded = Math.hypot(middle[0] - x, middle[1] - y) < 0.1;
            looks.push([x, y, isRead, isBounded, isHit]);
          };
          const rising = fencepost.keyframes({ times: [0, 1], positions: [0, 0, 0, 0, 2, 0] });
          if (isMotionFirst) actor.motion = rising;
          const playback = level.play(0, { weight: 0.5, startSeconds: 1, speed: 0 });
          if (!isMotionFirst) actor.motion = rising;
          await look(0);
          await look(0.5);
          await look(0.5);
          actor.motion = null;
          await look(0.5);
          playback.stop();
          await look(0);
          results.push(looks);
          level.unload();
        }
        await engine.dispose();
      }
      return results;
    },
    { slide: SLIDE, modes: MODES },
  );
  const all = [true, true, true];
  for (const result of seen) {
    expect(result).toEqual([
      [0.5, 0, ...all],
      [0.5, 0.5, ...all],
      [0.5, 1, ...all],
      [0.5, 1, ...all],
      [0, 2, ...all],
    ]);
  }
});

test('playbacks fade in from rest and into each other, mix by weight, add up, and move only the nodes of their mask', async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async () => {
    const { theatre } = window;
    const engine = await theatre.create();
    const at = (name: string, x: number, y: number) => ({
      name,
      channels: [{ path: 'translation' as const, times: [0], values: [x, y, 0] }],
    });
    const add = {
      name: 'lift',
      channels: [{ path: 'translation' as const, times: [0, 1], values: [5, 5, 0, 5, 6, 0] }],
    };
    const hand = {
      name: 'hand',
      channels: [{ node: 1, path: 'translation' as const, times: [0], values: [0, 3, 0] }],
    };
    const level = await engine.world.load(
      window.animatedGltf([at('left', -2, 0), at('right', 2, 0), add, hand]),
    );
    const [square, joint] = level.actors as [never, never] as unknown as [
      (typeof level.actors)[number],
      (typeof level.actors)[number],
    ];
    const place = async (seconds: number): Promise<number[]> =>
      (await theatre.look(engine, seconds)).slice(0, 2);
    const results: Record<string, unknown> = {};
    const left = level.play('left', { fadeSeconds: 1 });
    results.fadesIn = [await place(0), await place(0.5), await place(0.5)];
    left.stop({ fadeSeconds: 1 });
    const right = level.play('right', { fadeSeconds: 1 });
    results.crossFade = [await place(0), await place(0.5), left.isPlaying, await place(0.5), left.isPlaying];
    await left.finished;
    right.weight = 0.25;
    results.quarter = await place(0);
    // The page sets the rest pose. The clip's weight is a quarter, so three quarters of the rest pose show.
    square.root.position.set(0, 2, 0);
    results.rest = await place(0);
    right.weight = 3;
    const again = level.play('left');
    results.shares = await place(0);
    again.stop();
    right.weight = 1;
    const lift = level.play('lift', { additive: true, speed: 0, startSeconds: 1 });
    results.additive = await place(0);
    lift.weight = 0.5;
    results.halfAdditive = await place(0);
    lift.stop();
    right.stop();
    results.stopped = await place(0);
    const masked = level.play('right', { mask: ['hand'] });
    results.masked = await place(0);
    masked.stop();
    const moved = level.play('hand', { mask: [joint] });
    await place(0);
    results.hand = [joint.root.position.y, joint.root.worldFromLocal([])[13]];
    moved.stop();
    results.handAfter = joint.root.position.y;
    return results;
  });
  expect(seen).toEqual({
    fadesIn: [
      [0, 0],
      [-1, 0],
      [-2, 0],
    ],
    crossFade: [[-2, 0], [0, 0], true, [2, 0], false],
    quarter: [0.5, 0],
    rest: [0.5, 1.5],
    shares: [1, 0],
    additive: [2, 1],
    halfAdditive: [2, 0.5],
    stopped: [0, 2],
    masked: [0, 2],
    hand: [3, 5],
    handAfter: 1,
  });
});

test('clips continue at their time after a device loss, on other threads, and while the page is busy', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre } = window;
    const engine = await theatre.create({ threading: 'render' });
    const level = await engine.world.load(window.animatedGltf([slide]));
    level.play('slide', { loop: 'once' });
    const places = [(await theatre.look(engine, 0))[0], (await theatre.look(engine, 0.5))[0]];
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    places.push((await theatre.look(engine, 0))[0], (await theatre.look(engine, 0.5))[0]);
    await engine.setThreading('render+rhi');
    places.push((await theatre.look(engine, 0.5))[0]);
    // A started engine presents pictures while the page's thread is blocked.
    engine.start();
    await engine.whenReady();
    const before = engine.stats().presentedFrames;
    const end = performance.now() + 700;
    while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve));
    const drawn = engine.stats().presentedFrames - before;
    engine.stop();
    return { places, drawn };
  }, SLIDE);
  expect(seen.places).toEqual([0, 0.5, 0.5, 1, 1.5]);
  expect(seen.drawn).toBeGreaterThan(2);
});

test('a worker that replaces a killed one continues clips and fades, and onTime fires once for each time', async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await holdWorkers(page);
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre, kit } = window;
    const results: unknown[] = [];
    for (const threading of ['render', 'render+rhi'] as const) {
      window.workers.length = 0;
      const engine = await theatre.create({
        threading,
        watchdog: { reportSeconds: 0.5, restartSeconds: 1 },
      });
      const events = kit.listen(engine);
      const level = await engine.world.load(window.animatedGltf([slide]));
      const playback = level.play('slide', { loop: 'ping-pong' });
      const reported: number[] = [];
      for (const seconds of [0.5, 1.5]) playback.onTime(seconds, () => reported.push(seconds));
      const places = [(await theatre.look(engine, 0))[0], (await theatre.look(engine, 0.5))[0]];
      playback.fadeTo(0, 2);
      places.push((await theatre.look(engine, 0))[0]);
      const pictures = [await kit.picture(engine)];
      window.workers[0]!.terminate();
      pictures.push(await kit.picture(engine));
      places.push((await theatre.look(engine, 1))[0]);
      playback.weight = 1;
      places.push((await theatre.look(engine, 0))[0]);
      const isSame = pictures[0] === pictures[1];
      results.push({
        places,
        reported,
        isSame,
        restarted: events.some((each) => each.startsWith('threadrestarted')),
      });
      await engine.dispose();
    }
    return results;
  }, SLIDE);
  // Halfway through the fade, half of the 1.5 m remains.
  const expected = { places: [0, 0.5, 0.5, 0.75, 1.5], reported: [0.5, 1.5], isSame: true, restarted: true };
  expect(seen).toEqual([expected, expected]);
});

test('invalid playbacks are rejected with reasons, and unloading a level ends its playbacks', async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre } = window;
    const engine = await theatre.create({ validation: true });
    const level = await engine.world.load(window.animatedGltf([slide]));
    const other = await engine.world.load(window.animatedGltf([]));
    const attempts: (() => unknown)[] = [
      () => level.play('walk'),
      () => level.play(1),
      () => level.play(undefined as never),
      () => other.play(0),
      () => engine.world.persistentLevel.play('slide'),
      () => level.play(0, { loop: true } as never),
      () => level.play(0, { speed: Number.NaN }),
      () => level.play(0, { weight: -1 }),
      () => level.play(0, { fade: 1 } as never),
      () => level.play(0, { mask: ['nobody'] }),
      () => level.play(0, { mask: other.actors }),
      () => level.play(0).stop({ fadeSeconds: -1 }),
    ];
    const reported = attempts.map((attempt) => {
      try {
        attempt();
        return 'nothing';
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
    });
    const playback = level.play(0);
    await engine.step(0.5);
    level.unload();
    await playback.finished;
    let after = '';
    try {
      level.play(0);
    } catch (error) {
      after = (error as { code: string }).code;
    }
    await engine.step(0.5);
    const { leaks } = await engine.dispose();
    return { reported, isPlaying: playback.isPlaying, after, leaks };
  }, SLIDE);
  expect(seen.reported.map((each) => each.split(':')[0])).toEqual([
    'animation-unknown',
    'option-out-of-range',
    'option-invalid',
    'animation-unknown',
    'animation-unknown',
    'option-invalid',
    'option-out-of-range',
    'option-out-of-range',
    'option-unknown',
    'option-invalid',
    'option-invalid',
    'option-out-of-range',
  ]);
  expect(seen.reported[0]).toContain('"slide"');
  expect(seen.isPlaying).toBe(false);
  expect(seen.after).toBe('level-unloaded');
  expect(seen.leaks).toEqual([]);
});

test("a clone exists at once, plays by itself, and outlives its original's level", async ({
  page,
  isolatedURL,
}) => {
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(async (slide) => {
    const { theatre } = window;
    const engine = await theatre.create({ validation: true });
    const { world } = engine;
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    const level = await world.load(window.animatedGltf([slide]));
    const clone = level.clone({ position: [0, 2, 0], name: 'second' });
    level.play('slide');
    clone.play('slide', { speed: -1, startSeconds: 2 });
    await engine.step(0);
    await engine.step(0.5);
    const both = [level, clone].map((each) =>
      [...each.find('square')!.root.worldFromLocal([])].slice(12, 14),
    );
    const lit = (await theatre.look(engine, 0))[2];
    const { primitives, liveResources } = engine.stats();
    level.unload();
    const [x, y] = await theatre.look(engine, 0.5);
    const third = clone.clone();
    third.play('slide', { speed: 0, startSeconds: 1 });
    const twoMore = (await theatre.look(engine, 0))[2];
    const refusals = [
      () => level.clone(),
      () => world.persistentLevel.clone(),
      () => clone.clone({ at: 1 } as never),
    ].map((attempt) => {
      try {
        attempt();
        return 'nothing';
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    const names = [clone.name, clone.root!.name, third.name, clone.find('nobody')];
    const { leaks } = await engine.dispose();
    return { both, lit, primitives, liveResources, left: [x, y], twoMore, refusals, names, leaks, errors };
  }, SLIDE);
  expect(seen).toEqual({
    both: [
      [0.5, 0],
      [1.5, 2],
    ],
    lit: 512,
    primitives: 2,
    liveResources: seen.liveResources,
    left: [1, 2],
    twoMore: 512,
    refusals: ['level-unloaded', 'level-not-cloneable', 'option-unknown'],
    names: ['second', 'second', 'second', null],
    leaks: [],
    errors: [],
  });
});

test("destroying an actor ends its clip's effect: later actors stay where they are put, in every mode and on other threads", async ({
  page,
  isolatedURL,
}) => {
  test.slow();
  await openTheatre(page, isolatedURL);
  const seen = await page.evaluate(
    async ({ slide, modes }) => {
      const { fencepost, theatre } = window;
      const results: unknown[] = [];
      for (const threading of modes) {
        const engine = await theatre.create({ threading });
        const { world } = engine;
        const errors: string[] = [];
        engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
        const level = await world.load(window.animatedGltf([slide]));
        const playback = level.play('slide', { speed: 0, startSeconds: 1.5 });
        const places = [await theatre.look(engine, 0)];
        level.find('square')!.destroy();
        await engine.step(0);
        const material = fencepost.unlitMaterial({ baseColor: '#fff' });
        // More nodes are added than were destroyed, so one of them reuses the id of the square's node.
        for (const y of [-3, 0, 3]) {
          world.addMesh({ geometry: fencepost.planeGeometry(), material, position: [-2, y, 0] });
        }
        places.push(await theatre.look(engine, 0));
        playback.speed = 1;
        places.push(await theatre.look(engine, 0.25));
        await engine.setThreading(threading === 'single' ? 'render' : 'single');
        places.push(await theatre.look(engine, 0.25));
        playback.stop();
        places.push(await theatre.look(engine, 0));
        results.push(places);
        const { leaks } = await engine.dispose();
        if (leaks.length || errors.length) throw new Error(JSON.stringify({ leaks, errors }));
      }
      return results;
    },
    { slide: SLIDE, modes: MODES },
  );
  const others = [-2, 0, 768];
  const expected = [[1.5, 0, 256], others, others, others, others];
  expect(seen).toEqual([expected, expected, expected]);
});
