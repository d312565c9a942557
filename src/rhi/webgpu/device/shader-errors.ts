/**
 * Turns WebGPU's compilation messages into one error with line, column and the place in the source. Code that is joined
 * of several texts marks them with comments, so that each error names its text:
 *
 *   //# "gold"
 *   fn surface( …                       "gold", line 1
 *   //# what follows "gold"
 *   fn applyMaterial( …                 what follows "gold", line 1
 */
import { RhiError } from '../../../core/errors.js';

/**
 * @param fallback message for browsers that give none of their own
 * @returns RhiError `shader-compilation`; its message shows the line and a caret under the column
 */
export async function shaderCompilationError(
  module: GPUShaderModule,
  label: string,
  code: string,
  fallback: string,
): Promise<RhiError> {
  const info = await module.getCompilationInfo().catch(() => null);
  const first = info?.messages.find((message) => message.type === 'error');
  if (first === undefined) {
    return new RhiError('shader-compilation', `The shader "${label}" does not compile: ${fallback}`);
  }
  const { lineNum, linePos, message } = first;
  const lines = code.split('\n', lineNum);
  const line = lines[lineNum - 1] ?? '';
  const mark = lines.findLastIndex((text) => text.startsWith('//# '));
  const source = mark < 0 ? '' : `${lines[mark]?.slice(4)}, `;
  const caret = `${' '.repeat(Math.max(0, linePos - 1))}^`;
  return new RhiError(
    'shader-compilation',
    `The shader "${label}" does not compile: ${source}line ${lineNum - mark - 1}, column ${linePos}: ${message}\n  ${line}\n  ${caret}`,
  );
}
