import { describe, expect, it } from 'vitest';
import { capabilityVersion, requireCapabilities } from '../commands/capabilities.js';
import { rhiCommands } from '../commands/commands.js';
import { unsupported } from '../commands/unsupported-commands.js';
import { executeAtOnce } from '../host/bypass.js';
import { createLocalStream } from '../host/local-stream.js';
import { assumeNotInUse, destroyNow } from '../mapping/assume-not-in-use.js';
import { nullCapabilities } from '../null/executor.js';
import { CheckedImmediateContext as ImmediateContext } from './checked-contexts.js';
import { guardThread, ThreadRoles } from './thread-guard.js';
import { traceList } from './trace.js';

const { writer, reader } = createLocalStream({ table: rhiCommands });
const context = new ImmediateContext(writer, { maxFramesInFlight: 2 });
const capabilities = nullCapabilities();
const wrong = (value: unknown): never => value as never;

/**
 * Calls with a wrong argument, by function or class of `fencepost/rhi`. Each error has the code `code` and contains
 * `text`.
 */
const slips: Readonly<Record<string, readonly [code: string, text: string, call: () => unknown][]>> = {
  traceList: [
    ['option-invalid', 'The reader of traceList is undefined', () => traceList(wrong(undefined))],
    ['option-unknown', '"maximumLength"', () => traceList(reader, wrong({ maximumLength: 3 }))],
    ['option-invalid', 'is NaN', () => traceList(reader, { maximumFieldLength: Number.NaN })],
  ],
  unsupported: [
    [
      'option-invalid',
      'The name given to unsupported is "rayTracing"',
      () => unsupported(wrong('rayTracing')),
    ],
    ['option-invalid', 'is "toString"', () => unsupported(wrong('toString'))],
  ],
  requireCapabilities: [
    [
      'option-invalid',
      'first argument of requireCapabilities',
      () => requireCapabilities(wrong(undefined), {}),
    ],
    [
      'option-invalid',
      'second argument of requireCapabilities is undefined',
      () => requireCapabilities(capabilities, wrong(undefined)),
    ],
    ['option-invalid', '"replay" is "1"', () => requireCapabilities(capabilities, wrong({ replay: '1' }))],
  ],
  capabilityVersion: [
    ['option-invalid', 'first argument of capabilityVersion', () => capabilityVersion(wrong(null), 'replay')],
  ],
  executeAtOnce: [
    ['option-invalid', 'The context of executeAtOnce', () => executeAtOnce(wrong(undefined), () => {})],
    [
      'option-invalid',
      'second argument of executeAtOnce is undefined',
      () => executeAtOnce(context, wrong(undefined)),
    ],
  ],
  guardThread: [
    ['option-invalid', 'The context of guardThread', () => guardThread(wrong({}), wrong({}))],
    ['option-invalid', 'The owner of guardThread is "main"', () => guardThread(context, wrong('main'))],
  ],
  ThreadRoles: [
    ['option-invalid', 'The action of ThreadRoles.run', () => new ThreadRoles('main').run('rhi', wrong(3))],
  ],
  createLocalStream: [
    ['option-invalid', 'createLocalStream takes its options', () => createLocalStream(wrong(undefined))],
    ['option-invalid', 'The option "table"', () => createLocalStream(wrong({}))],
    ['option-unknown', '"limit"', () => createLocalStream(wrong({ table: rhiCommands, limit: 3 }))],
  ],
  ImmediateContext: [
    ['option-invalid', 'The writer of the context', () => new ImmediateContext(wrong(undefined), wrong({}))],
    ['bad-frames-in-flight', 'undefined', () => new ImmediateContext(writer, wrong({}))],
    [
      'option-unknown',
      '"frames"',
      () => new ImmediateContext(writer, wrong({ maxFramesInFlight: 2, frames: 3 })),
    ],
  ],
  'assumeNotInUse and destroyNow': [
    ['bad-argument', 'assumeNotInUse', () => assumeNotInUse(context, wrong('buffer'))],
    ['option-invalid', 'The context of assumeNotInUse', () => assumeNotInUse(wrong(undefined), wrong(1))],
    ['option-invalid', 'The context of destroyNow', () => destroyNow(wrong({}), wrong(1))],
    ['bad-argument', 'destroyNow', () => destroyNow(context, wrong(undefined))],
  ],
};

describe('functions and classes of fencepost/rhi', () => {
  it.each(Object.keys(slips))('%s: a wrong argument throws an error that names it', (name) => {
    for (const [code, text, call] of slips[name]) {
      expect(call, text).toThrow(expect.objectContaining({ code, message: expect.stringContaining(text) }));
    }
  });
});
