import wrapper from '../../shaders/material-shader.wgsl?raw';
import { RhiError } from '../core/errors.js';
import type { MaterialTextures } from './material-textures.js';
import type { MaterialPolicy } from './materials/material-policy.js';
import { KeyBit, SHADER_RANGE, shaderOf } from './pipeline-key.js';

interface MaterialShader {
  readonly code: string;
  readonly textureCount: number;
}

/**
 * Shaders of materials: WGSL of pages that decides how a surface looks, before it is lit. Equal code is one shader, for as long
 * as the renderer lasts, because pipelines are kept by its number.
 *
 *   the page's code, its uniforms and textures (`game/shader-material.ts`) + material-shader.wgsl = `readTextures` of mesh.wgsl
 */
export class MaterialShaders implements MaterialPolicy {
  /** By number; 0 is the engine's own. */
  readonly #shaders: (MaterialShader | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number>();

  /** @returns its number. @throws RhiError `limit-exceeded` */
  add(code: string, textureCount: number): number {
    // What a material is called makes no other shader; the first one's errors are told.
    const key = code.replace(/^\/\/# .*$/gm, '');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#shaders.length;
    if (number >= SHADER_RANGE) {
      throw new RhiError(
        'limit-exceeded',
        `There are ${SHADER_RANGE - 1} different shaders of materials, which is the most. The material is drawn without its own. Change uniforms instead of code.`,
      );
    }
    this.#shaders.push({ code: `${code}${wrapper}`, textureCount });
    this.#numbers.set(key, number);
    return number;
  }

  /** Until the first image is there, what reads one is drawn without its shader. */
  code(key: number, textures: MaterialTextures | undefined): string | undefined {
    const shader = this.#shaders[shaderOf(key)];
    return textures || shader?.textureCount === 0 ? shader?.code : undefined;
  }

  constants(key: number): Record<string, number> {
    return { isUnlit: key & KeyBit.unlit ? 1 : 0 };
  }

  /** How many textures it reads. */
  textureCount(number: number): number {
    return this.#shaders[number]?.textureCount ?? 0;
  }
}
