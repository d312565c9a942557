/**
 * Render passes, and the state that is the pass's own: rectangles and constants. Compute passes are in `compute.ts`.
 */
import type { Handler } from './parts.js';

export const passHandlers = {
  beginRenderPass: (parts, { words, fields }) => {
    if (parts.host.mustWaitForPipelines()) return;
    const { pass, list, seldom } = parts;
    parts.endForgottenPass();
    // Opened before anything can throw, so that the draws of a refused pass are counted, not lost.
    pass.beginRender(null);
    pass.source = null;
    const translated = parts.passDescriptors.renderPass(words, fields);
    if (translated === null) return;
    const { gpu, source } = translated;
    pass.source = source;
    parts.outdated.passBegan(source);
    if (!source.timestampWrites) gpu.timestampWrites = seldom?.timer.passWrites(source.label);
    pass.beginRender(list.current.beginRenderPass(gpu));
  },
  endRenderPass: ({ pass }) => pass.end(),

  setViewport: ({ pass: { render } }, { floats, fields: at }) =>
    render?.setViewport(
      floats[at],
      floats[at + 1],
      floats[at + 2],
      floats[at + 3],
      floats[at + 4],
      floats[at + 5],
    ),
  setScissorRect: ({ pass: { render } }, { words, fields: at }) =>
    render?.setScissorRect(words[at], words[at + 1], words[at + 2], words[at + 3]),
  setStencilRef: ({ pass: { render } }, { words, fields }) => render?.setStencilReference(words[fields]),
  setBlendFactor: ({ pass: { render } }, { floats, fields }) =>
    render?.setBlendConstant(Array.from(floats.subarray(fields, fields + 4))),
} satisfies Record<string, Handler>;
