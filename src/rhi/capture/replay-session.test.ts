import { expect, it } from 'vitest';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { makeTestCapture } from './capture.test-support.js';
import { encodeCapture } from './capture-file.js';
import { decodeCapture } from './decode-capture.js';
import { openReplay } from './replay-session.js';

it('rejects the index of a missing frame or command, in an error with the number of those that exist', async () => {
  const session = openReplay(await makeTestCapture(), createFakeDevice().device);
  const [first] = session.frames;
  const count = first!.commands.length;
  for (const command of [count, 9999, -1, 1.5, Number.NaN, undefined as never]) {
    const refused = {
      code: 'out-of-range',
      message: `Frame ${first!.frame} of the capture has ${count} commands; command ${command} does not exist. Ask for 0 to ${count - 1}.`,
    };
    await expect(session.pictureAfter(0, command)).rejects.toMatchObject(refused);
    expect(() => session.boundState(0, command)).toThrow(expect.objectContaining(refused));
  }
  for (const frame of [session.frames.length, -1, Number.NaN]) {
    await expect(session.pictureAfter(frame, 0)).rejects.toMatchObject({ code: 'out-of-range' });
  }
  // The first and the last command exist.
  for (const command of [0, count - 1]) expect(session.boundState(0, command).pass).toBeNull();
});

it('says that a capture without frames has none', async () => {
  const capture = { ...decodeCapture(await makeTestCapture()), stream: new Uint32Array(0), attachments: [] };
  const session = openReplay(encodeCapture(capture), createFakeDevice().device);
  expect(() => session.boundState(0, 0)).toThrow(
    'The capture has no frames, so frame 0 does not exist. Capture at least one frame.',
  );
});
