/**
 * Composes the WGSL of a shader material from chunks and the page's own text. The comment `//# …` before each text
 * names it in compile errors (`rhi/webgpu/device/shader-errors.ts`).
 *
 *   uniforms, varyings, textures │ //# the chunk "hash" of "gold" … │ //# "gold" ─ the page's text │ //# what follows "gold"
 */
import { OptionError } from '../../core/errors.js';
import type { ShaderChunk } from '../shader-chunks/shader-chunk.js';
import { withoutComments } from './shader-functions.js';

/**
 * Returns the chunks and all chunks that these import, each once.
 * @param material name of the material, for messages
 * @throws OptionError `option-invalid`
 */
export function collectChunks(material: string, imports: unknown): readonly ShaderChunk[] {
  const found = new Map<string, ShaderChunk>();
  const collect = (list: unknown, importer: string): void => {
    if (list === undefined) return;
    if (!Array.isArray(list)) {
      throw new OptionError('option-invalid', `imports of ${importer} has to be a list of shader chunks.`);
    }
    for (const each of list) {
      const chunk = checkChunk(each, importer);
      const known = found.get(chunk.name);
      if (known?.wgsl === chunk.wgsl) continue;
      if (known) {
        throw new OptionError(
          'option-invalid',
          `"${material}" imports two different chunks with the name "${chunk.name}".`,
        );
      }
      found.set(chunk.name, chunk);
      collect(chunk.imports, `the chunk "${chunk.name}"`);
    }
  };
  collect(imports, `"${material}"`);
  return [...found.values()];
}

function checkChunk(value: unknown, importer: string): ShaderChunk {
  const { name, wgsl } = (value ?? {}) as Partial<ShaderChunk>;
  if (typeof name !== 'string' || name === '' || typeof wgsl !== 'string' || wgsl === '') {
    throw new OptionError(
      'option-invalid',
      `imports of ${importer} has to contain shader chunks: exports of fencepost/shaders, or objects { name, wgsl }.`,
    );
  }
  const code = withoutComments(wgsl);
  const count = (mark: string): number => code.split(mark).length;
  if (count('{') !== count('}') || count('(') !== count(')')) {
    throw new OptionError(
      'option-invalid',
      `The chunk "${name}", imported by ${importer}, has a brace or a comment that is not closed, or closed twice.`,
    );
  }
  return value as ShaderChunk;
}

/**
 * Checks that no two of the chunks, the page's text and the textures declare the same name. Checks nothing without
 * chunks.
 * @param material name of the material, for messages
 * @param wgsl the page's text
 * @param values names of textures, which are variables
 * @throws OptionError `option-invalid`
 */
export function checkDeclarations(
  material: string,
  chunks: readonly ShaderChunk[],
  wgsl: string,
  values: readonly string[],
): void {
  if (chunks.length === 0) return;
  const owners = new Map(values.map((name) => [name, 'as a texture']));
  const declare = (text: string, owner: string): void => {
    for (const name of declaredNames(text)) {
      const other = owners.get(name);
      if (other !== undefined && other !== owner) {
        throw new OptionError(
          'option-invalid',
          `"${material}" declares "${name}" twice: ${other} and ${owner}. Choose another name.`,
        );
      }
      owners.set(name, owner);
    }
  };
  for (const { name, wgsl: text } of chunks) declare(text, `in the chunk "${name}"`);
  declare(wgsl, 'in its wgsl');
}

/** Returns the names that WGSL declares outside of functions. */
export function declaredNames(wgsl: string): string[] {
  let code = withoutComments(wgsl);
  const block = /\{[^{}]*\}/g;
  while (block.test(code)) code = code.replace(block, ';');
  const declaration = /\b(?:fn|struct|alias|const|override|var(?:\s*<[^>]*>)?)\s+(\w+)/g;
  return [...code.matchAll(declaration)].map(([, name = '']) => name);
}

/** Joins the texts of a shader. @param declarations WGSL of uniforms, varyings and textures */
export function composeShader(
  material: string,
  declarations: string,
  chunks: readonly ShaderChunk[],
  wgsl: string,
): string {
  const source = quoted(material);
  const imported = chunks.map(
    ({ name, wgsl: text }) => `//# the chunk ${quoted(name)} of ${source}\n${text}\n`,
  );
  return `${declarations}${imported.join('')}//# ${source}\n${wgsl}\n//# what follows ${source}\n`;
}

/** Quotes a name. A comment ends with its line, so the name must not contain line breaks. */
const quoted = (name: string): string => `"${name.replace(/[\s\x85]+/g, ' ')}"`;
