import { describe, expect, it } from 'vitest';
import { findForbiddenImports } from './check-layers.mjs';

const reasons = (path, source) => findForbiddenImports(path, source).map((finding) => finding.reason);

describe('the layer check', () => {
  it('lets imports look down and sideways', () => {
    const source = `import { canSubmit } from '../sync/in-flight-limit.js';\nimport { x } from './scene.js';\nimport '../rhi/webgpu/executor.js';`;
    expect(findForbiddenImports('src/render/renderer.ts', source)).toEqual([]);
  });

  it('finds an import that looks up, with its line', () => {
    const findings = findForbiddenImports('src/core/page.ts', `\nimport { World } from '../game/world.js';`);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ specifier: '../game/world.js', line: 2 });
    expect(findings[0].reason).toContain('src/core may import src/core only');
  });

  it.each([
    ['a type-only import', `import type { Scene } from '../render/scene.js';`],
    ['a re-export', `export { Scene } from '../render/scene.js';`],
    ['a dynamic import', `const scene = await import('../render/scene.js');`],
    ['a module named by URL', `new Worker(new URL('../render/worker.ts', import.meta.url));`],
  ])('counts %s', (_, source) => {
    expect(reasons('src/game/world.ts', source)).toHaveLength(1);
  });

  it('ignores imports in comments and strings', () => {
    expect(
      reasons('src/game/a.ts', `// import '../render/a.js'\nconst s = "import '../render/a.js'";`),
    ).toEqual([]);
  });

  it('R10: keeps game and render apart, both ways', () => {
    expect(reasons('src/game/a.ts', `import '../render/a.js'`)).toHaveLength(1);
    expect(reasons('src/render/a.ts', `import '../game/a.js'`)).toHaveLength(1);
  });

  it('lets only the entry points and threads compose', () => {
    const both = `import './game/a.js'; import './render/b.js';`;
    expect(reasons('src/index.ts', both)).toEqual([]);
    expect(reasons('src/threads/worker.ts', `import '../game/a.js'; import '../render/b.js';`)).toEqual([]);
  });

  it('lets shaders into render and rhi only', () => {
    const source = `import shader from '../../shaders/forward.wgsl?raw';`;
    expect(reasons('src/render/forward.ts', source)).toEqual([]);
    expect(reasons('src/rhi/mips.ts', source)).toEqual([]);
    expect(reasons('src/game/a.ts', source)).toHaveLength(1);
  });

  it('keeps the element and the demo on the public API, and the test kit on its own', () => {
    expect(reasons('src/element/index.ts', `import { createEngine } from '../index.js';`)).toEqual([]);
    expect(reasons('src/element/index.ts', `import '../game/world.js';`)).toHaveLength(1);
    expect(reasons('demo/viewer.ts', `import '../src/index.js';`)).toEqual([]);
    expect(reasons('demo/viewer.ts', `import '../src/render/scene.js';`)).toHaveLength(1);
    expect(reasons('src/testing/index.ts', `import '../index.js';`)).toHaveLength(1);
  });

  it('keeps packages where they belong', () => {
    expect(reasons('src/render/a.ts', `import { mat4 } from 'gl-matrix';`)).toEqual([]);
    expect(reasons('src/render/a.ts', `import * as Comlink from 'comlink';`)).toHaveLength(1);
    expect(reasons('src/render/a.ts', `import * as three from 'three';`)).toHaveLength(1);
    expect(reasons('src/core/a.ts', `import fs from 'node:fs';`)).toHaveLength(1);
    expect(reasons('src/core/test-support.ts', `import fc from 'fast-check';`)).toEqual([]);
    expect(reasons('src/core/a.test.ts', `import { it } from 'vitest'; import fs from 'node:fs';`)).toEqual(
      [],
    );
  });
});
