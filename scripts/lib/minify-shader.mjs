// Makes WGSL smaller without touching a name: comments, indentation and empty lines go, and spaces that separate
// nothing. Line breaks stay where the source has them, so that messages of the compiler can still be followed.

/** @param {string} source WGSL @returns {string} */
export function minifyShader(source) {
  return stripComments(source)
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\s+/g, ' ')
        // Beside these signs a space separates nothing. (Beside others it may: `a - -b`, `a / *b`, `array<f32> = b`.)
        .replace(/ ?([,;:{}()[\]]) ?/g, '$1'),
    )
    .filter((line) => line !== '')
    .join('\n');
}

/** Removes `//` and (nesting, as WGSL has them) block comments. WGSL has no strings that could hide one. */
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
