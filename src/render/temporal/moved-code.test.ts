import { expect, it } from 'vitest';
import { deformedCode } from '../deformers/deformed-code.js';
import { NO_FADING_CODE } from '../materials/fading.js';
import { meshShaderCode } from '../materials/mesh-shader.js';
import { movedCode } from './moved-code.js';

it('movedCode replaces every name by which a vertex reads its pose', () => {
  for (const vertices of [undefined, deformedCode.code]) {
    const mesh = meshShaderCode(vertices === undefined ? {} : { vertices });
    const code = movedCode(`${mesh}${NO_FADING_CODE}`, vertices !== undefined);
    expect(code).toContain('var<uniform> currentView: View;');
    expect(code).toContain('var<private> view: View;');
    expect(code).toContain('@location(15) before: vec4f');
    expect(code).not.toMatch(/(?<!current)\bprimitives\[/);
    // Only the functions that switch between both frames read the buffers.
    const reads = code.match(/\b(palettes|morphs)\[[^\]]+\]/g) ?? [];
    expect(reads).toEqual(vertices === undefined ? [] : ['palettes[row]', 'morphs[word]']);
  }
});
