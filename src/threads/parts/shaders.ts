/** The part for shaders of pages, loaded with the first material that has one. */
import { MaterialShaders } from '../../render/material-shaders.js';
import { stringAt } from '../../rhi/commands/record-fields.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const { materials } = renderer.scene;
  const shaders = new MaterialShaders();
  materials.shaders = shaders;
  return {
    execute({ words, fields }) {
      const shader = shaders.add(stringAt(words, fields, 2), words[fields + 1] as number);
      materials.setShader(words[fields] as number, shader);
    },
  };
}
