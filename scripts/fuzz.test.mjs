// Short runs of `npm run fuzz` with fixed seeds, so that a decoder that trusts its input fails here.
import { expect, it } from 'vitest';
import { DecoderFuzzer } from './fuzz/decoder-fuzzer.ts';
import { Fuzzer } from './fuzz/fuzzer.ts';
import { timeLimit } from './lib/time-limits.mjs';

const CASES = 1000;

it('bad input: hostile lists and captures only raise typed errors, read no bytes from behind a record, and end', async () => {
  const fuzzer = await Fuzzer.create(20261121);
  const targets = new Set();
  const codes = new Set();
  for (let index = 0; index < CASES; index++) {
    const result = await fuzzer.run(index);
    targets.add(result.target);
    for (const code of result.codes) codes.add(code);
    expect(result.findings, `case ${index}, from "${result.recording}"`).toEqual([]);
  }
  expect([...targets].sort()).toEqual([
    'capture',
    'codec',
    'null',
    'validated null',
    'validated webgpu',
    'webgpu',
  ]);
  // These codes show that the important paths were reached.
  for (const code of ['bad-record', 'stream-corrupt', 'capture-corrupt', 'stale-handle', 'device-lost']) {
    expect(codes).toContain(code);
  }
  expect(codes.size).toBeGreaterThan(40);
});

it('a case has the same result in every run', async () => {
  const [first, second] = [await Fuzzer.create(3), await Fuzzer.create(3)];
  for (const index of [0, 17, 4000]) expect(await first.run(index)).toEqual(await second.run(index));
});

it(
  'bad input: damaged Draco, meshopt, Basis, other KTX2 and radiance files and environment cubes load or raise typed errors, and leave their decoders whole',
  async () => {
    const fuzzer = await DecoderFuzzer.create(20261124);
    const targets = new Set();
    const codes = new Set();
    for (let index = 0; index < 500; index++) {
      const result = await fuzzer.run(index);
      targets.add(result.target);
      for (const code of result.codes) codes.add(code);
      expect(result.findings, `case ${index}, of "${result.recording}"`).toEqual([]);
    }
    expect([...targets].sort()).toEqual([
      'basis',
      'draco',
      'environment-cube',
      'ktx2',
      'meshopt',
      'radiance',
    ]);
    expect(codes).toContain('gltf-invalid');
    expect(codes).toContain('left out');
  },
  timeLimit(120_000),
);
