import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collectChunks, declaredNames } from './game/materials/shader-imports.js';
import { shaderMaterial } from './game/materials/shader-material.js';
import type { ShaderChunk } from './game/shader-chunks/shader-chunk.js';
import * as chunks from './shaders.js';

const wgsl = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';

function refusal(imports: unknown, text = wgsl): string {
  try {
    shaderMaterial({ name: 'gold', wgsl: text, imports: imports as ShaderChunk[] });
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'none';
}

describe('R14 chunks of WGSL', () => {
  it('are added once each, with the chunks that they import, also if these import each other', () => {
    const names = collectChunks('gold', [chunks.fractalNoise2, chunks.simplexNoise2, chunks.hash]).map(
      ({ name }) => name,
    );
    expect([...names].sort()).toEqual([
      'fractalNoise2',
      'gradientNoise2',
      'hash',
      'simplexNoise2',
      'slopes2',
    ]);
    const one: { name: string; wgsl: string; imports: ShaderChunk[] } = {
      name: 'one',
      wgsl: 'const one = 1;',
      imports: [],
    };
    one.imports.push({ name: 'other', wgsl: 'const other = 2;', imports: [one] });
    expect(collectChunks('gold', [one])).toHaveLength(2);
    // A page may hold two copies of a chunk.
    expect(collectChunks('gold', [chunks.hash, { ...chunks.hash }])).toHaveLength(1);
    expect(refusal([chunks.triplanar])).toBe('none');
  });

  it.each([
    ['a list', 'noise'],
    ['a list', chunks.hash],
    ['shader chunks', [undefined]],
    ['shader chunks', [null]],
    ['shader chunks', ['fn noise() {}']],
    ['shader chunks', [{ wgsl: 'fn noise() {}' }]],
    ['shader chunks', [{ name: 'noise', wgsl: '' }]],
    ['imports of the chunk "noise"', [{ name: 'noise', wgsl: 'fn noise() {}', imports: [1] }]],
    ['chunk "noise"', [{ name: 'noise', wgsl: 'fn noise() {' }]],
    ['chunk "noise"', [{ name: 'noise', wgsl: 'fn noise() {} /*' + ' {' + '*/ }' }]],
    ['two different chunks with the name "hash"', [chunks.hash, { name: 'hash', wgsl: 'const a = 1;' }]],
    ['"hash1" twice', [chunks.hash, { name: 'own', wgsl: 'fn hash1() {}' }]],
  ])('are refused with %s if they are not chunks or declare names twice', (text, imports) => {
    expect(refusal(imports)).toContain(text);
    expect(refusal(imports)).toMatch(/^option-invalid: .*/);
  });

  it('and the page’s own text may not declare the same name', () => {
    expect(refusal([chunks.remap], `${wgsl} fn remap() {}`)).toContain(
      '"gold" declares "remap" twice: in the chunk "remap" and in its wgsl.',
    );
    expect(refusal([chunks.remap], `${wgsl} fn other() { let remap = 1; } // fn remap() {}`)).toBe('none');
  });

  it('declare names outside of functions: functions, structures, aliases, constants and variables', () => {
    const text = `struct A { b: f32 } alias C = f32; const d = 1; override e = 2; var<private> f: f32;
      @group(1) @binding(0) var g: sampler; fn h(i: f32) { var j = 0; if true { let k = 1; } } // fn l() {}`;
    expect(declaredNames(text)).toEqual(['A', 'C', 'd', 'e', 'f', 'g', 'h']);
  });

  it('of the library have unique names, which the engine’s shaders do not declare', () => {
    const all = collectChunks('all', Object.values(chunks));
    const names = all.flatMap((chunk) => declaredNames(chunk.wgsl));
    expect(new Set(names).size).toBe(names.length);
    const folder = new URL('../shaders/', import.meta.url);
    const own = readdirSync(folder)
      .filter((name) => name.endsWith('.wgsl'))
      .flatMap((name) => declaredNames(readFileSync(new URL(name, folder), 'utf8')));
    expect(own.length).toBeGreaterThan(100);
    expect(names.filter((name) => own.includes(name))).toEqual([]);
    for (const [name, chunk] of Object.entries(chunks)) expect(chunk.name).toBe(name);
  });
});
