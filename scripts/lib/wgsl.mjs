// Strips comments, indentation and empty lines from WGSL. Line numbers change, but the code of each line stays. So a
// line that a compiler's message quotes is found in the source by its text.

/** Returns the stripped shader. @param {string} source WGSL @returns {string} */
export function stripShader(source) {
  return stripComments(source)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Removes `//` and block comments, which nest in WGSL. WGSL has no strings that could contain one. */
function stripComments(source) {
  let result = '';
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const two = source.slice(index, index + 2);
    if (two === '/*') {
      depth++;
      index++;
    } else if (two === '*/' && depth > 0) {
      depth--;
      index++;
      if (depth === 0) result += ' ';
    } else if (depth === 0 && two === '//') {
      const end = source.indexOf('\n', index);
      if (end < 0) break;
      index = end - 1;
    } else if (depth === 0 || source[index] === '\n') {
      result += source[index];
    }
  }
  return result;
}
