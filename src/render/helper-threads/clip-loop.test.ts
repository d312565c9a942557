import { expect, it } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { NO_ID } from '../../proxy/commands.js';
import { type ClipData, PATH_SIZES, PlaybackMode } from '../../proxy/motion/clip.js';
import { ClipPath, CROWD_TRACKS, pathWord, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import { ClipPlayer } from '../animation/clip-player.js';
import type { SampledPlayback } from '../scene/clip-sampler.js';
import { Scene } from '../scene/scene.js';
import { ClipLoop } from './clip-loop.js';
import { KeptMemories, type LoopHelpers, type MemoryMessage, SampleArgument } from './helper-loops.js';
import { RangeHelper } from './range-helper.js';
import { RangeLoop } from './range-loop.js';
import { RANGE_MEMORY_BYTES, RangeWord } from './range-memory.js';
import { EntrySampler, SampleArrays } from './sample-arrays.js';
import { openRangeLoop } from './serve-ranges.js';

const TRACKS = 30;
/** Number of figures. Each figure plays two clips. Every fifth figure plays its second clip additively. */
const FIGURES = Math.ceil(CROWD_TRACKS / TRACKS / 2) + 20;
const KEYS = 5;

/** Returns a clip. Its tracks are positions, rotations and scales in turn; the last one has 6 morph weights. */
function clipOf(seed: number): { tracks: Uint32Array<ArrayBuffer>; floats: Float32Array<ArrayBuffer> } {
  const tracks = new Uint32Array(TRACKS * TRACK_WORDS);
  const floats = Array.from({ length: KEYS }, (_, key) => key / (KEYS - 1));
  for (let track = 0; track < TRACKS; track++) {
    const path = track === TRACKS - 1 ? ClipPath.weights : ((track % 3) as 0 | 1 | 2);
    const size = path === ClipPath.weights ? 6 : PATH_SIZES[path];
    tracks.set([pathWord(path, size), 0, KEYS, 0, floats.length], track * TRACK_WORDS);
    for (let value = 0; value < KEYS * size; value++) floats.push(Math.sin(seed + floats.length * 1.7));
  }
  return { tracks, floats: Float32Array.from(floats) };
}

function setUp() {
  const scene = new Scene(null as never, { has: () => false } as never, null as never);
  const weights: number[] = [];
  scene.deformers = {
    driveWeights: (node: number, sums: Float32Array) => weights.push(node, ...sums) > 0,
  } as never;
  const player = new ClipPlayer(scene);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  for (const clip of [0, 1])
    encodeRecord(writer, renderCommands, 'createClip', { clip, duration: 1, ...clipOf(clip) });
  const joints = Math.ceil(TRACKS / 3);
  for (let figure = 0; figure < FIGURES; figure++) {
    for (let joint = 0; joint < joints; joint++) scene.createNode(figure * joints + joint, NO_ID);
    for (const clip of [0, 1]) {
      encodeRecord(writer, renderCommands, 'setPlayback', {
        playback: figure * 2 + clip,
        ...{ clip, startSeconds: figure * 0.013, offsetSeconds: 0, speed: 1 + figure / 100 },
        ...{
          mode: PlaybackMode.repeat,
          fadeStart: 0.5,
          fadeSeconds: 1,
          weightFrom: 1 - clip,
          weightTo: clip,
        },
        isAdditive: clip === 1 && figure % 5 === 0 ? 1 : 0,
        nodes: Uint32Array.from({ length: TRACKS }, (_, track) => figure * joints + Math.floor(track / 3)),
      });
    }
    writer.publish();
    while (reader.next()) player.execute(reader);
  }
  /** Returns the transforms of all joints and the morph weights at five times. */
  const play = (): number[] => {
    const all: number[] = [];
    for (const seconds of [0, 0.3, 0.7, 1.4, 2.1]) {
      player.apply(seconds);
      all.push(...scene.nodes.local.words, ...weights.splice(0));
    }
    return all;
  };
  const destroy = (): void => {
    for (const clip of [0, 1]) encodeRecord(writer, renderCommands, 'destroyClip', { clip });
    writer.publish();
    while (reader.next()) player.execute(reader);
  };
  return { scene, play, destroy };
}

it.each([0, 1, 2, 4])(
  'R1: clips sampled with %i helpers move nodes exactly as clips sampled by one thread',
  (count) => {
    const expected = setUp().play();
    const { scene, play, destroy } = setUp();
    let samples: SampleArrays | null = null;
    let room: readonly number[] = [0, 0];
    const clips = new Map<number, ClipData>();
    const onMessage = (message: MemoryMessage): void => {
      if (message.kind === 'samples') {
        samples = new SampleArrays(message.buffer, message.entries, message.values, message.threads);
        room = [message.entries, message.values];
      } else if (message.kind === 'clip') {
        const [tracks, floats] = [new Uint32Array(message.tracks), new Float32Array(message.floats)];
        clips.set(message.number, { duration: message.duration, tracks, floats });
      } else if (message.kind === 'forgetClip') clips.delete(message.number);
    };
    const helpers: LoopHelpers = {
      memory: new SharedArrayBuffer(RANGE_MEMORY_BYTES),
      count,
      takers: count,
      recordingTasks: 0,
      wake: () => {},
      share: onMessage,
    };
    const words = new Int32Array(helpers.memory);
    const loop = new ClipLoop(helpers, new RangeLoop(words, helpers.wake), new EventRing());
    scene.primitives.culler = { cull: () => 0, hide: () => false, clips: loop };
    const threads = Array.from({ length: count }, (_, index) => ({
      helper: new RangeHelper(words, index + 1),
      sampler: new EntrySampler(),
      number: index + 1,
    }));
    const at = RangeWord.arguments;
    let helped = 0;
    let own = 0;
    const run = loop.run.bind(loop);
    loop.run = (range) => {
      run(range);
      own++;
      // After the render thread's first range, one helper takes all other ranges. The helpers take turns from loop to
      // loop.
      const thread = threads[own % Math.max(1, count)];
      let isFirst = true;
      thread?.helper.help(() => {
        const per = words[at + SampleArgument.perRange] as number;
        const all = words[at + SampleArgument.entries] as number;
        return (other) => {
          if (isFirst) helped++;
          isFirst = false;
          const values = samples!.valuesOf(thread.number);
          thread.sampler.sample(samples!, values, other * per, Math.min((other + 1) * per, all), (clip) =>
            clips.get(clip),
          );
        };
      });
    };
    const found = play();
    expect(found.length).toBe(expected.length);
    expect(found.every((value, index) => Object.is(value, expected[index]))).toBe(true);
    expect(helped > 0).toBe(count > 0);
    expect(own).toBeGreaterThan(0);
    expect(clips.size).toBe(2);
    expect(room[0]).toBeGreaterThanOrEqual(FIGURES);
    destroy();
    expect(clips.size).toBe(0);
  },
);

it('R1: the render thread samples few tracks alone', () => {
  const nothing = (): void => {};
  const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
  const helpers: LoopHelpers = {
    memory,
    count: 2,
    takers: 2,
    recordingTasks: 0,
    wake: nothing,
    share: nothing,
  };
  const loop = new ClipLoop(helpers, new RangeLoop(new Int32Array(memory), nothing), new EventRing());
  const state = {
    ...{ startSeconds: 0, offsetSeconds: 0, speed: 1, mode: PlaybackMode.repeat },
    ...{ fadeStart: 0, fadeSeconds: 0, weightFrom: 1, weightTo: 1 },
  };
  const clip = { duration: 1, ...clipOf(0) };
  const playbacks = new Map<number, SampledPlayback>();
  for (let number = 0; number < Math.floor(CROWD_TRACKS / TRACKS); number++)
    playbacks.set(number, { clip, state, entry: -1 });
  expect(loop.sample(playbacks, 0)).toBe(false);
  playbacks.set(-1, { clip, state, entry: -1 });
  expect(loop.sample(playbacks, 0)).toBe(true);
});

it('R1: a helper that joins after the newest clip was destroyed takes part', () => {
  const nothing = (): void => {};
  const memory = new SharedArrayBuffer(RANGE_MEMORY_BYTES);
  const kept = new KeptMemories();
  const helpers: LoopHelpers = {
    memory,
    count: 1,
    takers: 1,
    recordingTasks: 0,
    wake: nothing,
    share: (message) => kept.keep(message),
  };
  const ranges = new RangeLoop(new Int32Array(memory), nothing);
  const loop = new ClipLoop(helpers, ranges, new EventRing());
  const state = {
    ...{ startSeconds: 0, offsetSeconds: 0, speed: 1, mode: PlaybackMode.repeat },
    ...{ fadeStart: 0, fadeSeconds: 0, weightFrom: 1, weightTo: 1 },
  };
  const [older, newest] = [0, 1].map((seed) => ({ duration: 1, ...clipOf(seed) })) as [ClipData, ClipData];
  const playbacks = new Map<ClipData | number, SampledPlayback>();
  playbacks.set(newest, { clip: newest, state, entry: -1 });
  for (let number = 0; number < CROWD_TRACKS / TRACKS; number++)
    playbacks.set(number, { clip: older, state, entry: -1 });
  // Share the older clip first.
  loop.sample(new Map([...playbacks].reverse()), 0);
  playbacks.delete(newest);
  loop.forget(newest);
  const helper = openRangeLoop(memory, 1, null);
  for (const message of kept.all()) helper.hear(message);
  const run = loop.run.bind(loop);
  loop.run = (range) => {
    run(range);
    if (helper.hasWork) helper.takePart();
  };
  expect(loop.sample(playbacks, 0)).toBe(true);
  expect(helper.isWaiting).toBe(false);
  expect(ranges.helped).toBeGreaterThan(0);
});
