import { describe, expect, it } from 'vitest';
import type { RhiError } from '../../../core/errors.js';
import { BufferUsage } from '../../commands/descriptors.js';
import { createRhi } from '../../host/create-rhi.js';
import { createFakeDevice } from '../fake-device.test-support.js';

const usage = BufferUsage.copyTarget;

/** Creates RHIs on one device, and collects the errors that each RHI reports. */
function setUp(count: number) {
  const fake = createFakeDevice();
  const reported: string[][] = [];
  const rhis = Array.from({ length: count }, (_, index) => {
    const messages: string[] = [];
    reported.push(messages);
    const rhi = createRhi({
      device: fake.device,
      onError: (error) => messages.push((error as RhiError).message),
    });
    rhi.context.createBuffer({ label: `of ${index}`, byteLength: 4, usage });
    rhi.context.createBuffer({ label: 'of all', byteLength: 4, usage });
    rhi.context.publish();
    rhi.executor.pump();
    return rhi;
  });
  /** Raises an error of the device, and returns the indices of the RHIs that report it. */
  const raise = (message: string): number[] => {
    fake.raise(message);
    return reported.flatMap((messages, index) => messages.splice(0).map(() => index));
  };
  return { fake, rhis, reported, raise };
}

describe('errors of a device that several RHIs share', () => {
  it('reach the RHI whose encoder is in the message', () => {
    const { raise } = setUp(12);
    expect(raise('Bad. - While finishing [CommandEncoder "frame 7"].')).toEqual([0]);
    expect(raise('Bad. - While finishing [CommandEncoder "rhi 2, frame 7"].')).toEqual([1]);
    expect(raise("In a pass, label = 'rhi 12, '")).toEqual([11]);
  });

  it('reach the only RHI with a label in the message, or the oldest RHI if none or several have such a label', () => {
    const { raise, rhis } = setUp(3);
    expect(raise('Write range does not fit in [Buffer "of 1"] size (4).')).toEqual([1]);
    expect(raise('Write range does not fit in [Buffer "of all"] size (4).')).toEqual([0]);
    expect(raise('Something else.')).toEqual([0]);
    rhis[0]!.dispose();
    expect(raise('Something else again.')).toEqual([1]);
  });

  it('arrive through one listener per device, which is removed with the last RHI', () => {
    const { fake, rhis } = setUp(12);
    expect(fake.listenerCount).toBe(1);
    for (const rhi of rhis) rhi.dispose();
    expect(fake.listenerCount).toBe(0);
    createRhi({ device: fake.device });
    expect(fake.listenerCount).toBe(1);
  });

  it('are reported once, although the GPU’s messages differ in the frame number', () => {
    const { fake, reported, rhis } = setUp(1);
    rhis[0]!.context.beginFrame(9);
    rhis[0]!.context.publish();
    rhis[0]!.executor.pump();
    for (const frame of [4, 5])
      fake.raise(`Bad scissor. - While finishing [CommandEncoder "frame ${frame}"].`);
    expect(reported[0]).toEqual([
      'The GPU refused a command: Bad scissor. - While finishing [CommandEncoder "frame 4"].',
    ]);
  });
});
