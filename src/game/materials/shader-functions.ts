/**
 * Finds features in the text of a page's WGSL: the functions that the engine calls, and whether the WGSL reads the
 * time. Signatures are checked here, because the WGSL compiler would report a wrong one as an error in the engine's
 * own code.
 */
import { OptionError } from '../../core/errors.js';
import { ShaderFeature } from '../../proxy/materials/material-layout.js';
import type { ShaderChunk } from '../shader-chunks/shader-chunk.js';

const PARAMETERS = {
  surface: ['SurfaceInput', 'Appearance'],
  vertex: ['VertexInput', 'VertexOutput'],
} as const;

/**
 * Returns the features of a page's WGSL, as bits of `ShaderFeature`.
 * @param material name of the material, for messages
 * @throws OptionError `option-invalid`
 */
export function findShaderFeatures(material: string, wgsl: unknown): number {
  const code = typeof wgsl === 'string' ? withoutComments(wgsl) : '';
  const hasSurface = has(material, code, 'surface');
  const hasVertex = has(material, code, 'vertex');
  if (!hasSurface && !hasVertex) {
    throw new OptionError(
      'option-invalid',
      `wgsl of "${material}" has to be WGSL with ${signature('surface')}, ${signature('vertex')}, or both.`,
    );
  }
  return (
    (hasSurface ? ShaderFeature.surface : 0) |
    (hasVertex ? ShaderFeature.vertex : 0) |
    (readsTime(code) ? ShaderFeature.time : 0)
  );
}

const readsTime = (code: string): boolean => /\btime\b/.test(code);

/** Returns `ShaderFeature.time` if a chunk reads the time, else 0. */
export const timeFeature = (chunks: readonly ShaderChunk[]): number =>
  chunks.some(({ wgsl }) => readsTime(withoutComments(wgsl))) ? ShaderFeature.time : 0;

function has(material: string, code: string, name: keyof typeof PARAMETERS): boolean {
  const [, parameters, rest] = new RegExp(`\\bfn\\s+${name}\\s*\\(([^)]*)\\)\\s*(.?)`).exec(code) ?? [];
  if (parameters === undefined) return false;
  const [input, output] = PARAMETERS[name];
  const types = parameters.replace(/\s+/g, '').replace(/,$/, '');
  const asks = new RegExp(`^\\w+:${input},\\w+:ptr<function,${output},?>$`);
  // Types may have other names through an alias; the WGSL compiler checks those.
  if (rest === '{' && (asks.test(types) || /\balias\b/.test(code))) return true;
  throw new OptionError(
    'option-invalid',
    `"${material}" has a function "${name}" that the engine can't call: it has to be ${signature(name)}, without a return value. It writes its result through its second parameter, a pointer.`,
  );
}

const signature = (name: keyof typeof PARAMETERS): string =>
  name === 'surface'
    ? 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>)'
    : 'fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>)';

/** Removes comments. Block comments may be nested. */
export function withoutComments(wgsl: string): string {
  let code = '';
  let depth = 0;
  let rest = wgsl;
  for (;;) {
    const mark = (depth > 0 ? /\/\*|\*\// : /\/\/.*|\/\*/).exec(rest);
    const end = mark?.index ?? rest.length;
    if (depth === 0) code += `${rest.slice(0, end)} `;
    if (!mark) return code;
    if (mark[0] === '/*') depth++;
    else if (mark[0] === '*/') depth--;
    rest = rest.slice(end + mark[0].length);
  }
}
