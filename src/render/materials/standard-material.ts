import { VertexFormat } from '../../proxy/vertex-format.js';
import { KeyBit } from '../keys/pipeline-key.js';
import type { MaterialPolicy } from './material-policy.js';

/** glTF's metallic-roughness model, lit. */
export const standardMaterial: MaterialPolicy = {
  parts: (_key, textures) => ({ textures: textures?.shaderCode }),
  constants: (key, textures) => ({
    isUnlit: 0,
    ...(textures && {
      isNormalMapped: key & KeyBit.normalMapped ? 1 : 0,
      hasTangents: key & VertexFormat.tangents ? 1 : 0,
    }),
  }),
};
