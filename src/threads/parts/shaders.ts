/** The part for shaders of pages, loaded with the first material that has one. */
import { MaterialShaders } from '../../render/material-shaders.js';
import { stringAt } from '../../rhi/commands/record-fields.js';
import type { RenderPart, RenderPartHost } from '../control/thread-parts.js';

export function createRenderPart({ renderer }: RenderPartHost): RenderPart {
  const { materials, meshShaderCode } = renderer;
  const shaders = new MaterialShaders(materials, meshShaderCode);
  materials.shaders = shaders;
  return {
    execute(reader) {
      const { words, floats, fields } = reader;
      const material = words[fields] as number;
      const shader = shaders.add(
        stringAt(words, fields, 4),
        words[fields + 1] as number,
        words[fields + 2] as number,
      );
      materials.setShader(material, shader);
      shaders.setDisplacement(material, floats[fields + 3] as number);
    },
  };
}
