// Tests a pass that draws into a slice of a 3D texture (WebGPU's depthSlice). The pass is captured, replayed,
// shown and validated. The list "slices of a 3D texture" (`lists/passes.ts`) checks its pixels.
import { expect, test } from '../fixtures.js';
import { openLoadedPage } from '../open-engine-page.js';

test('C beginRenderPass: slices of a 3D texture can be captured and replayed, with validation', async ({
  page,
}) => {
  await openLoadedPage(page, '/e2e/rhi/commands.html');
  const result = await page.evaluate(async () => {
    const { createRhi, openDevice, openReplay, RhiCapture, replay, TextureUsage, validate } = window.rhi;
    const { device } = await openDevice(navigator.gpu);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const rhi = createRhi({ device, validation: validate, onError });
    const { context } = rhi;
    const capture = new RhiCapture(rhi);
    capture.start();
    const usage = TextureUsage.renderAttachment | TextureUsage.copySource | TextureUsage.textureBinding;
    // The replay copies pictures of the first format, and draws pictures of the second one.
    const volumes = (['rgba8unorm', 'rgba16float'] as const).map((format) =>
      context.createTexture({
        label: format,
        width: 4,
        height: 4,
        depthOrArrayLayers: 4,
        dimension: '3d',
        format,
        usage,
      }),
    );
    context.beginFrame(0);
    for (const texture of volumes) {
      for (const depthSlice of [1, 3]) {
        context.beginRenderPass({
          label: `slice ${depthSlice}`,
          colorAttachments: [
            {
              view: { texture },
              depthSlice,
              loadOp: 'clear',
              storeOp: 'store',
              clearValue: [depthSlice === 1 ? 1 : 0, depthSlice === 3 ? 1 : 0, 0, 1],
            },
          ],
        });
        context.endRenderPass();
      }
    }
    const texels = rhi.readTexture(volumes[0] as (typeof volumes)[number]);
    context.endFrame();
    const slices = [...(await texels)].filter((_, index) => index % 64 < 4);
    const file = await capture.stop();
    capture.dispose();
    rhi.dispose();

    const replayed = await replay(file, device);
    const session = openReplay(file, device);
    const shown: number[][] = [];
    for (const [index, command] of session.frames[0].commands.entries()) {
      if (command.name !== 'endRenderPass') continue;
      const picture = await session.pictureAfter(0, index);
      shown.push([...(picture?.data.slice(0, 4) ?? [])]);
      errors.push(...(picture?.errors ?? []));
    }
    device.destroy();
    return { slices, shown, errors: [...errors, ...replayed.errors].map(String) };
  });
  const [red, green, none] = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [0, 0, 0, 0],
  ];
  expect(result.errors).toEqual([]);
  expect(result.slices).toEqual([...none, ...red, ...none, ...green]);
  expect(result.shown).toEqual([red, green, red, green]);
});
