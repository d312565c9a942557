/**
 * CLIPS: the cost of sampling 1,000 clips with 50 channels of 31 keys each. Time advances by 1/60 s, or jumps at
 * random. The figure is this process's CPU time, which excludes other programs.
 */
import { type ClipData, PATH_SIZES, sampleTrack } from '../../src/proxy/motion/clip.js';
import { ClipPath, pathWord, TRACK_WORDS } from '../../src/proxy/motion/clip-tracks.js';
import { Interpolation } from '../../src/proxy/motion/interpolate.js';
import { xorshift } from '../../src/rhi/memory/suballocator.test-support.js';
import { type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';

const CLIPS = 1000;
const CHANNELS = 50;
const KEYS = 31;
const SECONDS = 2;
const PASSES = 30;

const MODES = ['linear', 'cubic'] as const;

export async function runClips(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = MODES.map((mode) => {
    const clips = Array.from({ length: CLIPS }, (_, seed) => makeClip(seed + 1, Interpolation[mode]));
    // This call warms up, so that the code is compiled.
    sampleAll(clips, (pass) => pass / 60, 5);
    const forward = sampleAll(clips, (pass) => (pass / 60) % SECONDS, PASSES);
    const random = xorshift(7);
    const seeking = sampleAll(clips, () => random() * SECONDS, PASSES);
    context.log(`CLIPS ${mode}: ${forward.toFixed(0)} ns, at random ${seeking.toFixed(0)} ns`);
    return { id: 'CLIPS', engine: mode, version: '', forwardNs: forward, seekingNs: seeking };
  });
  return {
    results,
    targets: [],
    failures: [],
    table: [
      `CLIPS · ${CLIPS} clips of ${CHANNELS} channels, ${KEYS} keys each: ns per channel`,
      formatTable(
        ['keys', '', 'forward', 'at random'],
        results.map(({ engine, forwardNs, seekingNs }) => [
          engine,
          '',
          formatNumber(forwardNs),
          formatNumber(seekingNs),
        ]),
      ),
    ].join('\n'),
  };
}

/** Samples all clips. @returns nanoseconds per channel */
function sampleAll(clips: readonly ClipData[], secondsOf: (pass: number) => number, passes: number): number {
  const cursors = clips.map(() => new Uint32Array(CHANNELS));
  const out = new Float32Array(4);
  let sum = 0;
  const began = process.cpuUsage().user;
  for (let pass = 0; pass < passes; pass++) {
    for (let clip = 0; clip < clips.length; clip++) {
      const data = clips[clip] as ClipData;
      const at = cursors[clip] as Uint32Array;
      const seconds = secondsOf(pass);
      for (let track = 0; track < CHANNELS; track++) {
        at[track] = sampleTrack(data, track, seconds, at[track] as number, out);
        sum += out[0] as number;
      }
    }
  }
  const nanoseconds = ((process.cpuUsage().user - began) * 1000) / (passes * clips.length * CHANNELS);
  if (!Number.isFinite(sum)) throw new Error('A sample was not a number.');
  return nanoseconds;
}

/** Makes a clip with positions, rotations and scales in turn. */
function makeClip(seed: number, interpolation: number): ClipData {
  const random = xorshift(seed * 7919);
  const tracks = new Uint32Array(CHANNELS * TRACK_WORDS);
  const values: number[] = Array.from({ length: KEYS }, (_, key) => (key / (KEYS - 1)) * SECONDS);
  for (let track = 0; track < CHANNELS; track++) {
    const path = [ClipPath.position, ClipPath.rotation, ClipPath.scale][track % 3] as 0 | 1 | 2;
    const size = PATH_SIZES[path];
    const begin = values.length;
    const count = KEYS * size * (interpolation === Interpolation.cubic ? 3 : 1);
    for (let index = 0; index < count; index += size) {
      const value = Array.from({ length: size }, () => random() - 0.5);
      const length = path === ClipPath.rotation ? Math.hypot(...value) : 1;
      values.push(...value.map((each) => each / length));
    }
    tracks.set([pathWord(path, size), interpolation, KEYS, 0, begin], track * TRACK_WORDS);
  }
  return { duration: SECONDS, tracks, floats: Float32Array.from(values) };
}
