import { describe, expect, it } from 'vitest';
import { findForbiddenImports, findRowFaults } from './check-layers.mjs';

const reasons = (path, source) => findForbiddenImports(path, source).map((finding) => finding.reason);

describe('the layer check', () => {
  it('allows imports from lower folders and from the same folder', () => {
    const source = `import { canSubmit } from '../sync/in-flight-limit.js';\nimport { x } from './scene.js';\nimport '../rhi/webgpu/executor.js';`;
    expect(findForbiddenImports('src/render/renderer.ts', source)).toEqual([]);
  });

  it('finds an import from a higher folder, with its line', () => {
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

  it('allows only the entry points, the engine, threads and render modules to combine layers', () => {
    const both = `import './game/a.js'; import './render/b.js';`;
    expect(reasons('src/index.ts', both)).toEqual([]);
    expect(reasons('src/threads/worker.ts', `import '../game/a.js'; import '../render/b.js';`)).toEqual([]);
    expect(reasons('src/engine/engine.ts', `import '../game/a.js'; import '../graph/b.js';`)).toEqual([]);
  });

  it('allows a subfolder of a layer to import subfolders that are listed before it, and the layer’s own folder', () => {
    expect(reasons('src/rhi/record/a.ts', `import '../commands/b.js';`)).toEqual([]);
    expect(reasons('src/render/shadows/a.ts', `import '../views/b.js';`)).toEqual([]);
    expect(reasons('src/sync/fences/a.ts', `import '../deadline.js';`)).toEqual([]);
  });

  it.each([
    ['src/rhi/commands/a.ts', '../record/b.js'],
    ['src/rhi/record/a.ts', '../host/b.js'],
    ['src/rhi/null/a.ts', '../webgpu/device/b.js'],
    ['src/render/shadows/a.ts', '../deferred/b.js'],
    ['src/render/scene/a.ts', '../renderer.js'],
    ['src/game/checks/a.ts', '../world/world.js'],
    ['src/threads/control/a.ts', '../connections/b.js'],
    ['src/threads/restart.ts', '../engine/restart/b.js'],
    ['src/engine/frames/a.ts', '../engine.js'],
    ['src/render-modules/a.ts', './page/b.js'],
  ])('finds an import of a subfolder above or beside: %s, %s', (path, specifier) => {
    expect(reasons(path, `import type { B } from '${specifier}';`)).toHaveLength(1);
    expect(reasons(path, `import type { B } from '${specifier}';`)[0]).toMatch(/stands (above|beside)/);
    expect(reasons(path.replace('.ts', '.test.ts'), `import '${specifier}';`)).toEqual([]);
  });

  it('allows subfolders joined by `+` to import each other, and gives deeper folders the rights of their listed folder', () => {
    expect(reasons('src/game/world/a.ts', `import '../components/b.js';`)).toEqual([]);
    expect(reasons('src/game/components/a.ts', `import '../world/b.js';`)).toEqual([]);
    expect(reasons('src/rhi/webgpu/device/a.ts', `import '../webgpu-backend.js';`)).toEqual([]);
  });

  it('allows src/threads to name a worker’s file by URL, but not to import it', () => {
    const source = `new URL('../worker.ts', import.meta.url)`;
    expect(reasons('src/threads/library-files/worker-location.ts', source)).toEqual([]);
    expect(reasons('src/threads/library-files/worker-location.ts', `import '../worker.js';`)).toHaveLength(1);
  });
  it('allows shaders in render and rhi only', () => {
    const source = `import shader from '../../shaders/forward.wgsl?raw';`;
    expect(reasons('src/render/forward.ts', source)).toEqual([]);
    expect(reasons('src/rhi/mips.ts', source)).toEqual([]);
    expect(reasons('src/game/a.ts', source)).toHaveLength(1);
  });

  it('restricts the element and the demo to the public API, and the test kit to itself', () => {
    expect(reasons('src/element/index.ts', `import { createEngine } from '../index.js';`)).toEqual([]);
    expect(reasons('src/element/index.ts', `import '../game/world.js';`)).toHaveLength(1);
    expect(reasons('src/react/kinds/view.ts', `import '../../index.js'; import 'react';`)).toEqual([]);
    expect(reasons('src/react/kinds/view.ts', `import '../../game/world/view.js';`)).toHaveLength(1);
    expect(reasons('demo/viewer.ts', `import '../src/index.js';`)).toEqual([]);
    expect(reasons('demo/viewer.ts', `import '../src/render/scene.js';`)).toHaveLength(1);
    expect(reasons('src/testing/index.ts', `import '../index.js';`)).toHaveLength(1);
  });

  it('restricts packages to their layers', () => {
    expect(reasons('src/render/a.ts', `import { mat4 } from 'gl-matrix';`)).toEqual([]);
    expect(reasons('src/render/a.ts', `import * as Comlink from 'comlink';`)).toHaveLength(1);
    expect(reasons('src/render/a.ts', `import * as three from 'three';`)).toHaveLength(1);
    expect(reasons('src/core/a.ts', `import fs from 'node:fs';`)).toHaveLength(1);
    expect(reasons('src/core/test-support.ts', `import fc from 'fast-check';`)).toEqual([]);
    expect(reasons('src/core/a.test.ts', `import { it } from 'vitest'; import fs from 'node:fs';`)).toEqual(
      [],
    );
  });

  it('rejects rows without a folder, and folders without a row', () => {
    const faults = findRowFaults([
      'src/core/maths/vector.ts',
      'src/core/testing/clock.ts',
      'src/tools/a/b.ts',
    ]);
    expect(faults).toContain('scripts/check-layers.mjs: src/core/math has a row, but does not exist.');
    expect(faults).toContain('src/core/maths: has no row in scripts/check-layers.mjs.');
    expect(faults.filter((fault) => /testing|tools/.test(fault))).toEqual([]);
  });
});
