// Two RHIs use the same slot numbers. A handle passed to the wrong RHI is refused in an error that names it, and
// nothing is written.
import { expect, test } from '../fixtures.js';

for (const isValidated of [true, false]) {
  test(`a handle of another RHI is refused, and changes nothing, validation ${isValidated}`, async ({
    page,
  }) => {
    await page.goto('/e2e/rhi/guide.html');
    const result = await page.evaluate(async (isValidated) => {
      const { BufferUsage, createRhi, openDevice, validate } = (await import(
        '/dist/rhi.js' as string
      )) as typeof import('fencepost/rhi');
      const { device } = await openDevice(navigator.gpu);
      const open = (label: string) => {
        const rhi = createRhi({ device, label, ...(isValidated && { validation: validate }) });
        const usage = BufferUsage.copySource | BufferUsage.copyTarget;
        return { rhi, buffer: rhi.context.createBuffer({ label, byteLength: 4, usage }) };
      };
      const [own, other] = [open('own'), open('other')];
      const refusals: string[] = [];
      const attempt = (call: () => unknown) => {
        try {
          call();
        } catch (error) {
          const { code, message } = error as { code: string; message: string };
          refusals.push(`${code}: ${message}`);
        }
      };
      const { context } = own.rhi;
      context.beginFrame(0);
      context.writeBuffer(own.buffer, 0, new Uint8Array([1, 2, 3, 4]));
      attempt(() => context.writeBuffer(other.buffer, 0, new Uint8Array([9, 9, 9, 9])));
      attempt(() => context.clearBuffer(other.buffer, 0, 4));
      const bytes = own.rhi.read(own.buffer);
      context.endFrame();
      const read = [...new Uint8Array(await bytes)];
      own.rhi.dispose();
      other.rhi.dispose();
      device.destroy();
      return { refusals, read };
    }, isValidated);
    const why = 'was given buffer = the buffer 0.0, which belongs to another RHI';
    expect(result.refusals).toEqual([
      expect.stringMatching(`foreign-handle: writeBuffer of the buffer .* ${why}`),
      expect.stringMatching(`foreign-handle: clearBuffer of the buffer .* ${why}`),
    ]);
    expect(result.read).toEqual([1, 2, 3, 4]);
  });
}
