import { describe, expect, it } from 'vitest';
import { declareGpuTypes, withoutAmbientTypes } from './lib/declarations.mjs';
import { reduceTables } from './lib/esbuild-plugins.mjs';
import { minifyShader } from './lib/minify-shader.mjs';

describe('shaders in the build', () => {
  it('lose comments, also nested ones, and indentation', () => {
    const source = '// a\nfn main() { /* b /* c */ d */\n  let x : f32 = 1.0; // e\n\n}\n';
    expect(minifyShader(source)).toBe('fn main(){\nlet x:f32 = 1.0;\n}');
  });

  it('keep what separates', () => {
    expect(minifyShader('const a = 1 - -2;')).toBe('const a = 1 - -2;');
    expect(minifyShader('a/**/b')).toBe('a b');
    expect(minifyShader('return x / *y;')).toBe('return x / *y;');
    expect(minifyShader('if (a >= b && c) { }')).toBe('if(a >= b && c){}');
  });
});

describe('command tables in the build', () => {
  it('keep their names and opcodes', () => {
    const source = [
      "export const commands = defineRecordTable('some commands', {",
      "  begin: { frame: 'u32' },",
      '  end: {},',
      '});',
      'export const Opcode = commands.opcodes;',
      'export const other = 1;',
    ].join('\n');
    const commands = { name: 'some commands', opcodes: { begin: 1, end: 2 }, names: ['', 'begin', 'end'] };
    expect(reduceTables(source, { commands, Opcode: commands.opcodes, other: 1 })).toBe(
      [
        "export const commands = { name: 'some commands', names: ' begin end'.split(' ') };",
        'export enum Opcode { begin = 1,end = 2 }',
        'export const other = 1;',
      ].join('\n'),
    );
  });
});

describe('public declarations', () => {
  it('take GPU types from the package, not from the ambient scope', () => {
    const source = '/// <reference types="@webgpu/types" />\nexport declare function f(d: GPUDevice): GPU;\n';
    expect(withoutAmbientTypes(source, 'rhi/webgpu/a.d.ts').text).toBe(
      "import type { GPU, GPUDevice } from '../../webgpu.js';\nexport declare function f(d: GPUDevice): GPU;\n",
    );
    expect(withoutAmbientTypes('export type A = GPUDevice;\n', 'index.d.ts').text).toContain("'./webgpu.js'");
  });

  it('ignore GPU types in comments', () => {
    const source = '/** a GPUDevice */\nexport declare const a: number;\n';
    expect(withoutAmbientTypes(source, 'index.d.ts').text).toBe(source);
  });

  it('find objects in the scope of the consumer, and carry dictionaries with what they use', () => {
    const text = declareGpuTypes(['GPUDevice', 'GPUSamplerDescriptor']);
    expect(text).toContain('export type GPUDevice = typeof globalThis extends');
    expect(text).toMatch(/export interface GPUSamplerDescriptor\s+extends GPUObjectDescriptorBase/);
    expect(text).toContain('export interface GPUObjectDescriptorBase');
    expect(text).toMatch(/export type GPUFilterMode =\s*\|?\s*"nearest"/);
  });
});
