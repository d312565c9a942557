/**
 * Converts the first error among WebGPU's compilation messages to an error with line, column and excerpt. Code that
 * consists of several texts has a comment `//# …` before each text. The error contains the text after `//#`, and counts
 * lines from that comment:
 *
 *   //# "gold"
 *   fn surface( …                       "gold", line 1
 *   //# what follows "gold"
 *   fn applyMaterial( …                 what follows "gold", line 1
 */
import { RhiError } from '../../../core/errors.js';

/**
 * Returns the error of a module that does not compile.
 * @param fallback message for browsers without compilation messages
 * @returns RhiError `shader-compilation`, whose message shows the line and a caret under the column
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
