import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATH_SIZES, PlaybackMode, type PlaybackState, playbackSeconds } from '../../proxy/motion/clip.js';
import { pathWord } from '../../proxy/motion/clip-tracks.js';
import type { ClipDescription } from '../../proxy/scene-description.js';
import { boxGeometry, keyframes, spin } from '../index.js';
import { codeOf, createTestWorld, type RenderRecord, transformsOf, valuesOf } from '../testing/test-world.js';
import { clipsOf } from './clip-updates.js';
import { Playback } from './playback.js';

const DURATION = 2;

/**
 * Creates a world and an actor in it. `play` moves the actor from x = 0 to x = 2 by a clip of 2 s. `frame`
 * makes a frame as the engine does.
 */
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
  /** Makes a frame, including the microtasks in which listeners are called. */
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
  it.each(Object.keys(CHANGES))('continues, and calls each listener once per round: %s', async (what) => {
    const { world, frame, play } = setUp();
    const playback = play();
    const calls: string[] = [];
    for (const seconds of [0, 0.75, 1.9, 2]) {
      playback.onTime(seconds, () => calls.push(`${seconds} at ${playback.time}`));
    }
    world.onTick(() => CHANGES[what]!(playback));
    for (const seconds of [0, ...Array(9).fill(0.5)]) await frame(seconds);
    expect(calls).toEqual([
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
    const calls: number[] = [];
    for (const seconds of [0, 1.75, 2]) playback.onTime(seconds, () => calls.push(seconds));
    let isFinished = false;
    void playback.finished.then(() => {
      isFinished = true;
    });
    world.onTick(() => CHANGES[what]!(playback));
    for (const seconds of [0, 0.75, 0.75]) await frame(seconds);
    expect([playback.time, isFinished, calls]).toEqual([1.5, false, [0]]);
    for (const seconds of [0.75, 0.75]) await frame(seconds);
    expect([playback.time, isFinished, calls]).toEqual([2, true, [0, 1.75, 2]]);
  });

  it('fades out and ends while its speed is written', async () => {
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

  it('ends at the earliest end that repeated stop() calls request', async () => {
    const { world, frame, play } = setUp();
    const playback = play();
    let fadeSeconds = 1;
    await frame(0);
    world.onTick(() => playback.stop({ fadeSeconds }));
    for (const seconds of [0, 0.25]) await frame(seconds);
    expect(playback.weight).toBe(0.75);
    fadeSeconds = 0.5; // instead of the remaining 0.75
    for (const seconds of [0, 0.25]) await frame(seconds);
    expect([playback.weight, playback.isPlaying]).toEqual([0.375, true]);
    expect(valuesOf(await frame(0.25), 'removePlayback')).toHaveLength(1);
    expect(playback.isPlaying).toBe(false);
  });
});

describe('numbers of a playback', () => {
  it('are kept and sent exactly as set', async () => {
    const { frame, play } = setUp();
    const playback = play({ offsetSeconds: 0.3, speed: 0 });
    expect(valuesOf(await frame(0.1), 'setPlayback')[0]).toMatchObject({
      startSeconds: 0.1,
      offsetSeconds: 0.3,
    });
    expect(playback.time).toBe(0.3);
    playback.time = 0.7;
    playback.speed = 0.1;
    playback.fadeTo(0.6, 0.9);
    const [sent] = valuesOf(await frame(0), 'setPlayback');
    expect(sent).toMatchObject({ offsetSeconds: 0.7, speed: 0.1, weightTo: 0.6, fadeSeconds: 0.9 });
    expect([playback.time, playback.speed]).toEqual([0.7, 0.1]);
    playback.weight = 0.2;
    expect(valuesOf(await frame(0), 'setPlayback')[0]).toMatchObject({ weightFrom: 0.2, weightTo: 0.2 });
    expect(playback.weight).toBe(0.2);
  });

  it('keep the shown time while the speed is 0, even after a repetition', async () => {
    const { frame, play } = setUp();
    const playback = play();
    await frame(0);
    const calls: number[] = [];
    for (const seconds of [0, 0.5, 2]) playback.onTime(seconds, () => calls.push(seconds));
    await frame(2);
    expect([playback.time, calls]).toEqual([0, [0, 0.5, 2]]);
    playback.speed = 0;
    expect(playback.time).toBe(0);
    await frame(1);
    playback.speed = 1;
    await frame(0.25);
    expect([playback.time, calls]).toEqual([0.25, [0, 0.5, 2]]);
  });
});

describe('a playback whose speed is set between frames', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Returns the clip's time that the render thread computes from the last record at scene time `seconds`. */
  const shownBy = (records: RenderRecord[], seconds: number): number => {
    const sent = valuesOf(records, 'setPlayback').at(-1);
    return playbackSeconds({ ...sent } as PlaybackState, DURATION, seconds);
  };

  it.each([
    ['repeat', 1.5],
    ['once', 2],
    ['pingPong', 0.5],
  ] as const)('loses no time while frames are stepped: %s', async (mode, expected) => {
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

  it('holds its time at speed 0, and continues from there at once', async () => {
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

  it('neither loses nor gains time in a running loop with early and late frames', async () => {
    let clock = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const { world, frame, play } = setUp();
    world.updates.isRunning = true;
    const [written, alone] = [play(), play()];
    await frame(0);
    let last = written.time;
    for (let round = 0; round < 60; round++) {
      // Scene time advances alternately by less and by more than the clock's 20 ms per frame.
      for (let wait = 0; wait < 4; wait++) {
        clock += 5;
        written.speed = 1;
        last = Math.max(last, written.time);
        expect(written.time).toBeCloseTo(last, 6);
      }
      const records = await frame(round % 2 ? 0.025 : 0.015);
      expect(shownBy(records, world.updates.timeSeconds)).toBeCloseTo(written.time, 6);
    }
    // If the clock was ahead of scene time, playback waits instead of going back.
    await frame(0.01);
    expect(world.updates.timeSeconds).toBeCloseTo(1.21, 9);
    expect(alone.time).toBeCloseTo(1.21, 5);
    expect(written.time).toBeCloseTo(1.21, 5);
  });
});

type Moved = ReturnType<typeof setUp>['actor'];

describe('a clip over a declared motion', () => {
  const place = ({ position: { x, y }, rotation: { z } }: Moved) =>
    [x, y, z].map((value) => Math.round(value * 1e4) / 1e4);
  const turned = (radians: number) => Math.round(Math.sin(radians / 2) * 1e4) / 1e4;
  const turning = () => spin({ axis: [0, 0, 1], radiansPerSecond: 1 });

  /** Starts a spin and a clip in the same frame; `first` is added before the other one. */
  async function begin(first: 'motion' | 'clip', weight = 1) {
    const made = setUp();
    const { actor, play, frame } = made;
    actor.position = [0, 3, 0];
    await frame(0);
    if (first === 'motion') actor.motion = turning();
    const playback = play({ weightFrom: weight, weightTo: weight });
    if (first === 'clip') actor.motion = turning();
    await frame(0);
    return { ...made, playback };
  }

  it.each(['motion', 'clip'] as const)(
    'and the motion add up to the transform that the actor reads, if the %s was first',
    async (first) => {
      const { actor, frame, playback, send, errors } = await begin(first);
      await frame(0.5);
      expect(place(actor)).toEqual([0.5, 0, turned(0.5)]);
      expect(actor.root.worldFromLocal([])[12]).toBe(0.5);
      // The rotation stays after the motion has ended. The clip plays on over the actor's own position.
      actor.motion = null;
      expect(transformsOf(send()).get(actor.root.node)?.slice(0, 2)).toEqual([0, 3]);
      await frame(0.5);
      expect(place(actor)).toEqual([1, 0, turned(0.5)]);
      playback.stop();
      await frame(0.5);
      expect(place(actor)).toEqual([0, 3, turned(0.5)]);
      expect(errors).toEqual([]);
    },
  );

  it.each(['motion', 'clip'] as const)('leaves the motion unchanged, if the %s was first', async (first) => {
    const { actor, frame, playback, errors } = await begin(first);
    await frame(0.5);
    playback.stop();
    expect(place(actor)).toEqual([0, 3, turned(0.5)]);
    expect(valuesOf(await frame(0.5), 'declareMotion')).toEqual([]);
    expect(place(actor)).toEqual([0, 3, turned(1)]);
    actor.motion = null;
    await frame(0.5);
    expect(place(actor)).toEqual([0, 3, turned(1)]);
    expect(errors).toEqual([]);
  });

  it("mixes with the motion's result by weight, and a write that the motion forbids still throws", async () => {
    const { actor, frame, playback } = await begin('motion', 0.5);
    actor.motion = keyframes({ times: [0, 1], positions: [0, 0, 0, 0, 8, 0] });
    await frame(0);
    await frame(0.5);
    expect(place(actor).slice(0, 2)).toEqual([0.25, 2]);
    expect(codeOf(() => actor.position.set(9, 9, 9))).toBe('motion-drives');
    expect(place(actor).slice(0, 2)).toEqual([0.25, 2]);
    actor.motion = turning();
    actor.position.y = 6;
    await frame(0);
    expect(place(actor).slice(0, 2)).toEqual([0.25, 3]);
    playback.stop();
    actor.motion = null;
    expect(place(actor).slice(0, 2)).toEqual([0, 6]);
  });

  it('causes no errors after the actor has been destroyed', async () => {
    const { actor, frame, playback, errors } = await begin('motion');
    actor.destroy();
    await frame(0.5);
    playback.stop();
    await frame(0.5);
    expect(errors).toEqual([]);
  });
});

describe('a clip that is played once and paused', () => {
  it('finishes at its end after it was resumed, not before', async () => {
    const { frame, play } = setUp();
    const playback = play({ mode: PlaybackMode.once });
    let isFinished = false;
    void playback.finished.then(() => {
      isFinished = true;
    });
    await frame(0);
    await frame(1);
    playback.speed = 0;
    for (let count = 0; count < 4; count++) await frame(1);
    expect([playback.time, isFinished]).toEqual([1, false]);
    playback.speed = 1;
    await frame(0.5);
    expect(isFinished).toBe(false);
    await frame(1);
    await frame(0);
    expect([playback.time, isFinished]).toEqual([DURATION, true]);
  });
});

describe('a clip that is played once', () => {
  it.each([
    ['has weight 0', { weightFrom: 0, weightTo: 0 }],
    ['fades in longer than it plays', { weightFrom: 0, fadeSeconds: 9 }],
    ['plays backwards', { speed: -1, offsetSeconds: DURATION }],
  ])('finishes exactly at its end, if it %s', async (_, changes) => {
    const { frame, play } = setUp();
    const playback = play({ mode: PlaybackMode.once, ...changes });
    let isFinished = false;
    void playback.finished.then(() => {
      isFinished = true;
    });
    await frame(0);
    await frame(DURATION - 0.5);
    await frame(0);
    expect(isFinished).toBe(false);
    await frame(0.5);
    await frame(0);
    expect(isFinished).toBe(true);
  });
});

describe('a playback', () => {
  it('is settled only after its start or a write, while it has a listener, and while it fades out', async () => {
    const { frame, play } = setUp();
    const playback = play();
    const settle = vi.spyOn(playback, 'settle');
    const looks = async (frames: number): Promise<number> => {
      settle.mockClear();
      for (let count = 0; count < frames; count++) await frame(0.1);
      return settle.mock.calls.length;
    };
    expect(await looks(5)).toBe(1);
    playback.weight = 0.5;
    expect(await looks(5)).toBe(1);
    const end = playback.onTime(1, () => {});
    expect(await looks(5)).toBe(5);
    end();
    expect(await looks(5)).toBe(1);
    playback.stop({ fadeSeconds: 0.35 });
    expect(await looks(8)).toBe(5);
    expect(playback.isPlaying).toBe(false);
  });

  it('calls a late listener at the same times as a playback that had a listener from the start', async () => {
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let count = 0;
    for (let round = 0; round < 60; round++) {
      const mode = random(3);
      const steps = Array.from({ length: 12 }, () => ({ what: random(8), number: random(9) / 4 }));
      const callsOf = async (isWatched: boolean): Promise<string[]> => {
        const { frame, play } = setUp();
        const playback = play({ mode });
        const calls: string[] = [];
        if (isWatched) playback.onTime(0, () => {});
        const acts: ((number: number) => unknown)[] = [
          (number) =>
            playback.onTime(Math.min(number, DURATION), () => calls.push(`${number} at ${playback.time}`)),
          (number) => (playback.speed = number - 1),
          (number) => (playback.time = number),
          (number) => playback.fadeTo(number, 0.5),
        ];
        for (const { what, number } of steps) await (acts[what] ?? frame)(number);
        await frame(0.5);
        await frame(0.75);
        return calls;
      };
      const late = await callsOf(false);
      expect(late).toEqual(await callsOf(true));
      count += late.length;
    }
    expect(count).toBeGreaterThan(60);
  });
});
