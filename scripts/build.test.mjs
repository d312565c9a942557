import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { findPureModules, loadedAtOnce, withoutBareImports } from './lib/bare-imports.mjs';
import { declareGpuTypes, withoutAmbientTypes } from './lib/declarations.mjs';
import {
  constantsAsEnums,
  recordTablePlugin,
  reduceTables,
  shaderPlugin,
  withoutNodePlugin,
  withoutUncalledMethods,
} from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { minifyShader, tokenize } from './lib/minify-shader.mjs';

const shaderFolder = join(projectRoot, 'shaders');

describe('the contexts in the build', () => {
  const source = `class A {
  readonly writer: Writer;

  constructor(writer: Writer) {
    this.writer = writer;
  }

  /** Kept. */
  draw(count = 1, { first }: Options = {}): void {
    if (first) {
      this.#write(count);
    }
  }

  dispatch(
    x: number,
  ): void {
    this.#write('  }');
  }

  override async copy<T>(x: T): Promise<T> {
    return x;
  }

  get state(): string {
    return '';
  }

  #write(a: number): void {
    this.writer.write(a);
  }
}
function dispatch() {}`;

  it('lose methods that nobody calls, whole, and nothing else', () => {
    const { contents, removed } = withoutUncalledMethods(source, 'context.draw(1); RhiOpcode.dispatch;');
    expect(removed).toEqual(['dispatch', 'copy']);
    expect(contents).toBe(
      source.replace(/dispatch\(\n[\s\S]*?\n {2}}/, '').replace(/override async[\s\S]*?\n {2}}/, ''),
    );
  });

  it.each([
    'context.draw(1); pass(context.copy)',
    'draws.draw(1); context.copy<number>(1)',
    'a.draw(); a.copy?.(1)',
  ])('keep no silence about one that may be called: %s', (code) => {
    expect(() => withoutUncalledMethods(source, code)).toThrow('The method copy is never called, but said');
  });
});

describe('shaders in the build', () => {
  it('lose comments, also nested ones, indentation and spaces', () => {
    const source = '// a\nfn main() { /* b /* c */ d */\n  return vec2(x, 0.842479062253094) ; // e\n\n}\n';
    expect(minifyShader(source)).toBe('fn main(){\nreturn vec2(x,.84247906);\n}');
  });

  it('keep what separates', () => {
    expect(minifyShader('const a = 1 - -2;')).toBe('const a=1- -2;');
    expect(minifyShader('a/**/b')).toBe('a b');
    expect(minifyShader('return x / *y;')).toBe('return x/ *y;');
    expect(minifyShader('if (a >= b && c) { }')).toBe('if(a>=b&&c){}');
    expect(minifyShader('@fragment fn f() -> @location(0) vec4f {')).toBe(
      '@fragment fn f()->@location(0)vec4f{',
    );
  });

  it('have letters for parameters and local variables, and no other new name', () => {
    const source = `override size: f32 = 1.0;
struct Light { @location(0) color: vec4f }
var<private> offset: f32;
fn shade(@builtin(position) place: vec4f, light: Light) -> vec4f {
  var color = light.color;
  var<function> rest = 1.0;
  for (var index = 0u; index < 2u; index++) { color *= size * rest; }
  let offset = offset;
  return color + place.a + offset;
}
fn other(color: f32) -> f32 { return color; }`;
    expect(minifyShader(source)).toBe(`override size:f32=1.;
struct Light{@location(0)color:vec4f}
var<private>offset:f32;
fn shade(@builtin(position)a:vec4f,b:Light)->vec4f{
var c=b.color;
var<function>d=1.;
for(var e=0u;e<2u;e++){c*=size*d;}
let offset=offset;
return c+a.a+offset;
}
fn other(a:f32)->f32{return a;}`);
  });

  it.each(readdirSync(shaderFolder))('%s keeps its tokens; equal ones stay equal in a function', (file) => {
    const source = readFileSync(join(shaderFolder, file), 'utf8');
    const withoutBreaks = (text) => tokenize(text).filter((token) => token !== '\n');
    const [before, after] = [withoutBreaks(source), withoutBreaks(minifyShader(source))];
    expect(after.length).toBe(before.length);
    let renamed = new Map();
    let original = new Map();
    before.forEach((token, at) => {
      if (token === 'fn') [renamed, original] = [new Map(), new Map()];
      const isMember = before[at - 1] === '.';
      if (/^[.\d]+\d/.test(token))
        expect(Math.fround(parseFloat(after[at]))).toBe(Math.fround(parseFloat(token)));
      else if (isMember || !/^[A-Za-z_]/.test(token) || at < before.indexOf('fn'))
        expect(after[at]).toBe(token);
      else {
        expect(renamed.get(token) ?? after[at]).toBe(after[at]);
        expect(original.get(after[at]) ?? token).toBe(token);
        renamed.set(token, after[at]);
        original.set(after[at], token);
      }
    });
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

describe('named numbers in the build', () => {
  const source = `export const Flag = {
  /** The: first. */
  first: 1, // of two
  second: 1 << 1,
} as const;
export const Kind = { a: 0 } as const;
export const Word = { a: 'a' } as const;`;

  it('are members of an enum', () => {
    expect(constantsAsEnums(source, (name) => name !== 'Kind').replace(/\s+/g, ' ')).toBe(
      "export enum Flag { first = 1, second = 1 << 1, } export const Kind = { a: 0 } as const; export const Word = { a: 'a' } as const;",
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

describe('the RHI’s validation layer', () => {
  const unwritten = {
    absWorkingDir: projectRoot,
    outdir: 'unwritten',
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
    define: { 'import.meta.env.DEV': 'false', 'import.meta.env.PROD': 'true' },
  };
  const carriedOf = (inputs) =>
    inputs
      .filter(([name, { bytesInOutput }]) => name.startsWith('src/rhi/validation/') && bytesInOutput > 0)
      .map(([name]) => name);

  it('is not in what a page loads at once', async () => {
    const { metafile } = await build({
      ...unwritten,
      entryPoints: { index: 'src/index.ts', worker: 'src/threads/worker.ts' },
      plugins: [shaderPlugin(), recordTablePlugin(), withoutNodePlugin()],
    });
    const { outputs } = metafile;
    for (const entry of ['unwritten/index.js', 'unwritten/worker.js']) {
      // What is imported statically; `import()` is for what is asked for.
      const files = new Set([entry]);
      for (const file of files) {
        for (const { path, kind } of outputs[file].imports) if (kind === 'import-statement') files.add(path);
      }
      const inputs = [...files].flatMap((file) => Object.entries(outputs[file].inputs));
      expect(inputs.length).toBeGreaterThan(10);
      expect(carriedOf(inputs)).toEqual([]);
    }
  });

  it('is not in the bundle of who uses all of fencepost/rhi but `validate`', async () => {
    const carriedBy = async (use) => {
      const { metafile } = await build({
        ...unwritten,
        stdin: { contents: use, resolveDir: projectRoot, loader: 'ts' },
        plugins: [withoutNodePlugin()],
      });
      const inputs = Object.entries(metafile.outputs['unwritten/stdin.js'].inputs);
      expect(inputs.length).toBeGreaterThan(50);
      return carriedOf(inputs);
    };
    const all = [...readFileSync(join(projectRoot, 'src/rhi.ts'), 'utf8').matchAll(/^export \{([^}]+)\}/gm)]
      .flatMap(([, names]) => names.split(','))
      .filter((name) => !name.trim().startsWith('type '))
      .map((name) => name.trim().split(' as ').at(-1))
      .filter((name) => /^\w+$/.test(name) && !['validate', 'validationMessages'].includes(name));
    expect(all).toEqual(expect.arrayContaining(['createRhi', 'NullExecutor', 'openDevice', 'replay']));
    const using = (names) => `import { ${names} } from './src/rhi.ts'; globalThis.used = [${names}];`;
    expect(await carriedBy(using(all))).toEqual([]);
    expect(await carriedBy(using('createRhi, validate'))).toContain('src/rhi/validation/draws.ts');
  });
});

describe('imports without names', () => {
  const outputs = {
    'dist/index.js': { imports: [{ path: 'dist/chunk-A.js', kind: 'import-statement' }] },
    'dist/chunk-A.js': { imports: [{ path: 'dist/chunk-B.js', kind: 'dynamic-import' }] },
    'dist/chunk-B.js': { imports: [{ path: 'dist/chunk-A.js', kind: 'import-statement' }] },
  };

  it('know what is there before anything is loaded on demand', () => {
    expect([...loadedAtOnce({ outputs }, 'index.js')]).toEqual(['index.js', 'chunk-A.js']);
  });

  it('are taken out where they do nothing, and nowhere else', () => {
    const text =
      'import{a}from"./chunk-A.js";import"./chunk-A.js";import"./chunk-B.js";import"./b.css";import("./chunk-A.js");';
    expect(withoutBareImports(text, (name) => name === 'chunk-A.js')).toBe(
      'import{a}from"./chunk-A.js";import"./chunk-B.js";import"./b.css";import("./chunk-A.js");',
    );
  });

  it('find who has effects, its own or those of what it imports', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-bare-'));
    try {
      const files = Object.entries({
        'pure.js': 'const a=new Map;export class B{c=1}export{a};',
        'late.js': 'export const load=()=>import("./missing.js");',
        'loud.js': 'console.log(1);export const a=1;',
        'heir.js': 'import{a}from"./loud.js";export const b=a;',
      }).map(([name, text]) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      });
      // A promise is not believed.
      writeFileSync(join(folder, 'package.json'), '{"sideEffects":false}');
      expect([...(await findPureModules(files))].sort()).toEqual(['late.js', 'pure.js']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
