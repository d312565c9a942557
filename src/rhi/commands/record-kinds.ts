/**
 * What records are to those who keep them from one frame to the next: the replay of passes and the validation layer,
 * which must agree. By opcode, so that one look at a header's lowest byte answers.
 *
 *   setViewport … │ setGraphicsPipeline │ setBindGroup │ drawIndexed │ pushDebugGroup │ endRenderPass
 *   isPrologue    │ handleField 1       │ handleField 2│             │                │
 */
import { byOpcode, isBundled, isDraw } from './command-facts.js';
import { Place } from './command-rows.js';

export { isBundled, isDraw };

/** Which word of a record that a bundle may hold is a handle; 0 for none. */
export const handleField = /* @__PURE__ */ byOpcode(({ places, handles }) =>
  (places & Place.bundle) !== 0 && handles[0] !== undefined ? handles[0].word + 1 : 0,
);

/** 1: state that is the pass's own, and so may only precede what is kept. */
export const isPrologue = /* @__PURE__ */ byOpcode(({ name }) =>
  Number(/^set(Viewport|ScissorRect|BlendFactor|StencilRef)$/.test(name)),
);
