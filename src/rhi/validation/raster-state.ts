/** The viewport and scissor rectangles of a pass. */
import { type Check, PassKind } from './state.js';

export function setViewport({ state, draws, reader, at }: Check): boolean {
  if (!draws.isIn(PassKind.render)) return false;
  const { floats } = reader;
  const [x, y, width, height, minDepth, maxDepth] = floats.subarray(at, at + 6);
  const limit = state.limit('maxTextureDimension2D');
  const fault = !(width >= 0 && height >= 0 && width <= limit && height <= limit)
    ? `a size of ${width} × ${height}; 0 to ${limit} is allowed`
    : !(Math.abs(x) <= 2 * limit && Math.abs(y) <= 2 * limit)
      ? `the origin ${x}, ${y}, which is too far away`
      : !(minDepth >= 0 && maxDepth <= 1 && minDepth <= maxDepth)
        ? `depths of ${minDepth} to ${maxDepth}, which are not in order from 0 to 1`
        : '';
  return fault === '' || state.report('viewport-rect', { pass: state.passName, reason: fault });
}

export function setScissorRect({ state, draws, words, at }: Check): boolean {
  if (!draws.isIn(PassKind.render)) return false;
  const [right, bottom] = [words[at] + words[at + 2], words[at + 1] + words[at + 3]];
  const { width, height } = state.pass;
  if (right <= width && bottom <= height) return true;
  return state.report('scissor-rect', { pass: state.passName, right, bottom, width, height });
}
