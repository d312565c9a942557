import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { withoutNodePlugin } from './lib/bundle-apart.mjs';
import { declareGpuTypes, withoutAmbientTypes } from './lib/declarations.mjs';
import { sourcePlugins } from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { stripShader } from './lib/wgsl.mjs';

const shaderFolder = join(projectRoot, 'shaders');

describe('shaders in the build', () => {
  it('contain no comments, not even nested comments, no indentation and no empty lines', () => {
    const source = '// a\nfn main() { /* b /* c */ d */\n  return vec2(x, 0.5) ; // e\n\n}\n';
    expect(stripShader(source)).toBe('fn main() {\nreturn vec2(x, 0.5) ;\n}');
  });

  it('keep words apart that only a comment separates', () => {
    expect(stripShader('a/**/b')).toBe('a b');
    expect(stripShader('return x / *y;')).toBe('return x / *y;');
  });

  const shaders = readdirSync(shaderFolder, { recursive: true }).filter((file) => file.endsWith('.wgsl'));
  it.each(shaders)('%s keeps its words in order', (file) => {
    const source = readFileSync(join(shaderFolder, file), 'utf8');
    const withoutComments = source.replace(/\/\/.*$/gm, '');
    expect(withoutComments).not.toContain('/*');
    const words = (text) => text.split(/\s+/).filter((word) => word !== '');
    expect(words(stripShader(source))).toEqual(words(withoutComments));
  });
});

describe('public declarations', () => {
  it('import GPU types from the package instead of using the ambient scope', () => {
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

  it('take GPU object types from the consumer’s global scope if present, and contain dictionaries with the types that they use', () => {
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
  };
  const carriedOf = (inputs) =>
    inputs
      .filter(([name, { bytesInOutput }]) => name.startsWith('src/rhi/validation/') && bytesInOutput > 0)
      .map(([name]) => name);

  it('is not among the files that a page loads at once', async () => {
    const { metafile } = await build({
      ...unwritten,
      entryPoints: { index: 'src/index.ts', worker: 'src/threads/worker.ts' },
      plugins: sourcePlugins(),
    });
    const { outputs } = metafile;
    for (const entry of ['unwritten/index.js', 'unwritten/worker.js']) {
      // Static imports only; `import()` loads code on demand.
      const files = new Set([entry]);
      for (const file of files) {
        for (const { path, kind } of outputs[file].imports) if (kind === 'import-statement') files.add(path);
      }
      const inputs = [...files].flatMap((file) => Object.entries(outputs[file].inputs));
      expect(inputs.length).toBeGreaterThan(10);
      expect(carriedOf(inputs)).toEqual([]);
    }
  });

  it('is not in a bundle that uses all of fencepost/rhi except `validate`', async () => {
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
