import { describe, expect, it } from 'vitest';
import * as R from '../rhi.js';

const { writer, reader } = R.createLocalStream({ table: R.rhiCommands });
const context = new R.ImmediateContext(writer, { maxFramesInFlight: 2 });
const capabilities = R.nullCapabilities();
const wrong = (value: unknown): never => value as never;

/** Functions of `fencepost/rhi` that are no methods, given what they can't use; each says what that is. */
const slips: Readonly<Record<string, readonly [code: string, says: string, call: () => unknown][]>> = {
  traceList: [
    ['option-invalid', 'The reader of traceList is undefined', () => R.traceList(wrong(undefined))],
    ['option-unknown', '"maximumLength"', () => R.traceList(reader, wrong({ maximumLength: 3 }))],
    ['option-invalid', 'is NaN', () => R.traceList(reader, { maximumFieldLength: Number.NaN })],
  ],
  unsupported: [
    [
      'option-invalid',
      'The name given to unsupported is "rayTracing"',
      () => R.unsupported(wrong('rayTracing')),
    ],
    ['option-invalid', 'is "toString"', () => R.unsupported(wrong('toString'))],
  ],
  requireCapabilities: [
    [
      'option-invalid',
      'first argument of requireCapabilities',
      () => R.requireCapabilities(wrong(undefined), {}),
    ],
    ['option-invalid', 'requires is undefined', () => R.requireCapabilities(capabilities, wrong(undefined))],
    ['option-invalid', '"replay" is "1"', () => R.requireCapabilities(capabilities, wrong({ replay: '1' }))],
  ],
  capabilityVersion: [
    [
      'option-invalid',
      'first argument of capabilityVersion',
      () => R.capabilityVersion(wrong(null), 'replay'),
    ],
  ],
  executeAtOnce: [
    ['option-invalid', 'The context of executeAtOnce', () => R.executeAtOnce(wrong(undefined), () => {})],
    [
      'option-invalid',
      'What executeAtOnce calls is undefined',
      () => R.executeAtOnce(context, wrong(undefined)),
    ],
  ],
  guardThread: [
    ['option-invalid', 'The context of guardThread', () => R.guardThread(wrong({}), wrong({}))],
    ['option-invalid', 'The owner of guardThread is "main"', () => R.guardThread(context, wrong('main'))],
  ],
  ThreadRoles: [
    ['option-invalid', 'The action of ThreadRoles.run', () => new R.ThreadRoles('main').run('rhi', wrong(3))],
  ],
  createLocalStream: [
    ['option-invalid', 'createLocalStream takes its options', () => R.createLocalStream(wrong(undefined))],
    ['option-invalid', 'The option "table"', () => R.createLocalStream(wrong({}))],
    ['option-unknown', '"limit"', () => R.createLocalStream(wrong({ table: R.rhiCommands, limit: 3 }))],
  ],
  'connectStreamWriter and connectStreamReader': [
    ['option-invalid', 'The port of connectStreamWriter', () => R.connectStreamWriter(wrong({}), wrong({}))],
    [
      'option-invalid',
      'The port of connectStreamReader',
      () => R.connectStreamReader(wrong(null), wrong({})),
    ],
  ],
  ImmediateContext: [
    [
      'option-invalid',
      'The writer of the context',
      () => new R.ImmediateContext(wrong(undefined), wrong({})),
    ],
    ['bad-frames-in-flight', 'undefined', () => new R.ImmediateContext(writer, wrong({}))],
    [
      'option-unknown',
      '"frames"',
      () => new R.ImmediateContext(writer, wrong({ maxFramesInFlight: 2, frames: 3 })),
    ],
  ],
  'assumeNotInUse and destroyNow': [
    ['bad-argument', 'assumeNotInUse', () => R.assumeNotInUse(context, wrong('buffer'))],
    ['option-invalid', 'The context of assumeNotInUse', () => R.assumeNotInUse(wrong(undefined), wrong(1))],
    ['option-invalid', 'The context of destroyNow', () => R.destroyNow(wrong({}), wrong(1))],
    ['bad-argument', 'destroyNow', () => R.destroyNow(context, wrong(undefined))],
  ],
};

describe('the functions beside the contexts refuse what they can’t use, by name', () => {
  it.each(Object.keys(slips))('%s', (name) => {
    for (const [code, says, call] of slips[name]) {
      expect(call, says).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }));
    }
  });
});
