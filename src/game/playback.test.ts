import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATH_SIZES, PlaybackMode, type PlaybackState, pathWord, playbackSeconds } from '../proxy/clip.js';
import type { ClipDescription } from '../proxy/scene-description.js';
import { clipsOf } from './clip-updates.js';
import { boxGeometry } from './index.js';
import { Playback } from './playback.js';
import { createTestWorld, type RenderRecord, valuesOf } from './world.test-helper.js';

const DURATION = 2;

/** An actor that a clip of 2 s moves from x = 0 to x = 2, in a world that makes frames as the engine does. */
function setUp() {
  const made = createTestWorld();
  const { world } = made;
  const actor = world.addMesh({ geometry: boxGeometry() });
  const clip: ClipDescription = {
    name: 'slide',
    duration: DURATION,
    nodes: [0],
    tracks: new Uint32Array([pathWord(0, PATH_SIZES[0]), 0, 2, 0, 2]),
    floats: new Float32Array([0, DURATION, 0, 0, 0, DURATION, 0, 0]),
  };
  const play = (changes: Partial<PlaybackState> = {}) => {
    const { name, duration } = clip;
    const state = { offsetSeconds: 0, speed: 1, mode: PlaybackMode.repeat as number };
    const fade = { fadeSeconds: 0, weightFrom: 1, weightTo: 1 };
    const updates = clipsOf(world.updates);
    const playback = new Playback(
      updates,
      { name, duration },
      clip,
      { ...state, ...fade, ...changes },
      false,
    );
    updates.add(playback, clip, [actor.root]);
    return playback;
  };
  /** Ends with what the frame makes known to the page. */
  const frame = async (deltaSeconds: number) => {
    world.updates.timeSeconds += deltaSeconds;
    world.tick(deltaSeconds);
    const records = made.send();
    await Promise.resolve();
    return records;
  };
  return { ...made, actor, play, frame };
}

type Change = (playback: Playback) => void;

const CHANGES: Record<string, Change> = {
  nothing: () => {},
  weight: (playback) => {
    playback.weight = 1;
  },
  speed: (playback) => {
    playback.speed = 1;
  },
  both: (playback) => {
    playback.weight = 1;
    playback.speed = 1;
  },
};

describe('a playback that is written to in every tick', () => {
  it.each(Object.keys(CHANGES))('goes on, and tells of each time once: %s', async (what) => {
    const { world, frame, play } = setUp();
    const playback = play();
    const told: string[] = [];
    for (const seconds of [0, 0.75, 1.9, 2]) {
      playback.onTime(seconds, () => told.push(`${seconds} at ${playback.time}`));
    }
    world.onTick(() => CHANGES[what]!(playback));
    for (const seconds of [0, ...Array(9).fill(0.5)]) await frame(seconds);
    expect(told).toEqual([
      '0 at 0',
      '0.75 at 1',
      '0 at 0',
      '1.9 at 0',
      '2 at 0',
      '0.75 at 1',
      '0 at 0',
      '1.9 at 0',
      '2 at 0',
    ]);
    expect(playback.time).toBe(0.5);
  });

  it.each(Object.keys(CHANGES))('ends with the frame that shows its end: %s', async (what) => {
    const { world, frame, play } = setUp();
    const playback = play({ mode: PlaybackMode.once });
    const told: number[] = [];
    for (const seconds of [0, 1.75, 2]) playback.onTime(seconds, () => told.push(seconds));
    let isFinished = false;
    void playback.finished.then(() => {
      isFinished = true;
    });
    world.onTick(() => CHANGES[what]!(playback));
    for (const seconds of [0, 0.75, 0.75]) await frame(seconds);
    expect([playback.time, isFinished, told]).toEqual([1.5, false, [0]]);
    for (const seconds of [0.75, 0.75]) await frame(seconds);
    expect([playback.time, isFinished, told]).toEqual([2, true, [0, 1.75, 2]]);
  });

  it('fades out and ends while its speed is', async () => {
    const { world, frame, play } = setUp();
    const playback = play();
    await frame(0);
    playback.stop({ fadeSeconds: 1 });
    world.onTick(() => CHANGES.speed!(playback));
    for (const seconds of [0, 0.5]) await frame(seconds);
    expect([playback.weight, playback.isPlaying]).toEqual([0.5, true]);
    expect(valuesOf(await frame(0.5), 'removePlayback')).toHaveLength(1);
    expect(playback.isPlaying).toBe(false);
  });
});

describe('a playback whose speed is set between frames', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** What the render thread makes of the last record, as of the world's scene time. */
  const shownBy = (records: RenderRecord[], seconds: number): number => {
    const sent = valuesOf(records, 'setPlayback').at(-1);
    return playbackSeconds({ ...sent } as PlaybackState, DURATION, seconds);
  };

  it.each([
    ['repeat', 1.5],
    ['once', 2],
    ['pingPong', 0.5],
  ] as const)('loses no time where frames are stepped: %s', async (mode, expected) => {
    const { world, frame, play } = setUp();
    const playback = play({ mode: PlaybackMode[mode] });
    playback.speed = 3;
    await frame(0);
    playback.speed = 1;
    for (let step = 0; step < 14; step++) {
      const records = await frame(0.25);
      expect(shownBy(records, world.updates.timeSeconds)).toBeCloseTo(playback.time, 6);
      playback.speed = 1;
    }
    expect(playback.time).toBeCloseTo(expected, 6);
  });

  it('holds at the place where it was stopped, and goes on from there at once', async () => {
    const { frame, play } = setUp();
    const playback = play();
    await frame(0);
    await frame(0.5);
    playback.speed = 0;
    await frame(1);
    expect(playback.time).toBe(0.5);
    playback.speed = 2;
    expect(playback.time).toBe(0.5);
    await frame(0.25);
    expect(playback.time).toBe(1);
  });

  it('neither loses nor wins time in a running loop, whose frames come early and late', async () => {
    let clock = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const { world, frame, play } = setUp();
    world.updates.isRunning = true;
    const [written, alone] = [play(), play()];
    await frame(0);
    let last = written.time;
    for (let round = 0; round < 60; round++) {
      // Scene time is by turns less and more than what has passed by the clock since the last frame.
      for (let wait = 0; wait < 4; wait++) {
        clock += 5;
        written.speed = 1;
        last = Math.max(last, written.time);
        expect(written.time).toBeCloseTo(last, 6);
      }
      const records = await frame(round % 2 ? 0.025 : 0.015);
      expect(shownBy(records, world.updates.timeSeconds)).toBeCloseTo(written.time, 6);
    }
    // Where the clock was ahead of the scene, it waits for this rather than to go back.
    await frame(0.01);
    expect(world.updates.timeSeconds).toBeCloseTo(1.21, 9);
    expect(alone.time).toBeCloseTo(1.21, 5);
    expect(written.time).toBeCloseTo(1.21, 5);
  });
});
