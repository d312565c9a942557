/** Turns WebGPU's compilation messages into one error with line, column and the place in the source. */
import { RhiError } from '../../core/errors.js';

/**
 * @param fallback what to say when the browser gives no message of its own
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
  const line = code.split('\n')[lineNum - 1] ?? '';
  const caret = `${' '.repeat(Math.max(0, linePos - 1))}^`;
  return new RhiError(
    'shader-compilation',
    `The shader "${label}" does not compile: line ${lineNum}, column ${linePos}: ${message}\n  ${line}\n  ${caret}`,
  );
}
