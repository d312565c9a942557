// The second half of minifying: esbuild is fast and bundles, terser looks longer and saves another 4 %.
import { readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { minify } from 'terser';

/**
 * Makes a module smaller in place.
 *
 * @param {string} file path of an ES module
 * @param {Record<string, string>} names short ones of properties, the same for all files that exchange objects
 * @param {number | false} lineLength in characters, as far as strings allow; false: all in one line, which is smallest
 */
export async function compressModule(file, names = {}, lineLength = false) {
  const { code } = await minify(await shorten(readFileSync(file, 'utf8'), names), {
    module: true,
    ecma: 2020,
    // No getter of ours has side effects, and nothing reads a function's length.
    // The one `debugger` statement is the command `debugBreak`.
    compress: {
      passes: 4,
      pure_getters: true,
      keep_fargs: false,
      unsafe_arrows: true,
      unsafe_methods: true,
      lhs_constants: false,
      drop_debugger: false,
    },
    format: { comments: false, max_line_len: lineLength },
  });
  if (code) writeFileSync(file, code);
}

/** Not while bundling: an enum's members would no longer become numbers. */
async function shorten(source, names) {
  const long = Object.keys(names);
  if (long.length === 0) return source;
  const { code } = await transform(source, {
    mangleProps: new RegExp(`^(?:${long.map((name) => name.replaceAll('$', '\\$')).join('|')})$`),
    mangleCache: names,
    format: 'esm',
    target: 'es2022',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return code;
}
