/** With validation, errors from WebGPU name the RHI's command and objects (SYSTEMS H8). */
import { describe, expect, it } from 'vitest';
import { BufferUsage } from '../../commands/descriptors.js';
import { createRhi, type Rhi } from '../../host/create-rhi.js';
import { validate } from '../../validation/validate.js';
import { createFakeDevice } from '../fake-device.test-support.js';

const usage = BufferUsage.copyTarget | BufferUsage.copySource;

/** Records and executes frame 7, and returns the reported errors. @param isValidated whether validation is used */
async function reportedErrors(
  record: (rhi: Rhi, fail: (message: string) => void) => void,
  isValidated = true,
): Promise<{ code: string; message: string; details?: unknown }[]> {
  const fake = createFakeDevice();
  const reported: { code: string; message: string }[] = [];
  const onError = (error: unknown): number => reported.push(error as (typeof reported)[number]);
  const rhi = createRhi({ device: fake.device, onError, ...(isValidated && { validation: validate }) });
  rhi.context.beginFrame(7);
  record(rhi, (message) => {
    rhi.context.publish();
    rhi.executor.pump();
    fake.failNextScope(message);
  });
  rhi.context.endFrame();
  rhi.context.publish();
  rhi.executor.pump();
  await fake.completeWork();
  rhi.dispose();
  return reported;
}

const createBuffer = (rhi: Rhi, fail: (message: string) => void): void => {
  fail('too odd.');
  rhi.context.createBuffer({ label: 'vertices', byteLength: 16, usage });
};

describe('H8 error scopes', () => {
  it('report command, object and frame of a creation', async () => {
    expect(await reportedErrors(createBuffer)).toMatchObject([
      {
        code: 'gpu-validation',
        message:
          'createBuffer in frame 7: The buffer "vertices" could not be created: too odd. Commands that use it are left out.',
        details: { command: 'createBuffer', label: 'vertices', frame: '7' },
      },
    ]);
  });

  it('report command, object and frame of a call', async () => {
    const reported = await reportedErrors((rhi, fail) => {
      const buffer = rhi.context.createBuffer({ label: 'numbers', byteLength: 16, usage });
      fail('no such thing.');
      rhi.context.writeBuffer(buffer, 0, new Uint32Array(4));
    });
    expect(reported).toMatchObject([
      {
        code: 'gpu-validation',
        message:
          'The GPU refused writeBuffer of the buffer "numbers" in frame 7: no such thing. The command is left out.',
      },
    ]);
  });

  it.each([
    ['[RenderPassEncoder "main"].DrawIndexed(3).', 'drawIndexed in the pass "main"'],
    ['[RenderPassEncoder "main"].SetPipeline([RenderPipeline]).', 'setGraphicsPipeline in the pass "main"'],
    ['[ComputePassEncoder "main"].DispatchWorkgroups(1).', 'dispatch in the pass "main"'],
    ['[ComputePassEncoder "main"].SetPipeline([X]).', 'setComputePipeline in the pass "main"'],
    ['Somewhere in it, another implementation says.', 'the pass "main"'],
  ])('report pass and frame, and also the command if the message contains it: %s', async (message, what) => {
    const reported = await reportedErrors((rhi, fail) => {
      rhi.context.beginComputePass({ label: 'main' });
      rhi.context.endComputePass();
      fail(message);
    });
    const expected = `The GPU refused ${what} of frame 7: ${message} All commands submitted with it are left out.`;
    expect(reported).toMatchObject([{ code: 'gpu-validation', message: expected }]);
  });

  it('keep the code of a refused creation without validation', async () => {
    expect(await reportedErrors(createBuffer, false)).toMatchObject([{ code: 'resource-creation' }]);
  });
});
