import coordinatesCode from '../../../shaders/texture-coordinates.wgsl?raw';
import {
  TEXTURE_SLOT_DECLARATIONS,
  TEXTURE_SLOTS,
  type TextureSlot,
} from '../../proxy/materials/material-layout.js';

/** Returns the declarations of a slot's texture and sampler, in bind group 1. */
const slotBindings = (slot: TextureSlot): string => {
  const binding = TEXTURE_SLOTS.indexOf(slot) * 2;
  return `@group(1) @binding(${binding}) var ${slot}Texture: texture_2d<f32>;
@group(1) @binding(${binding + 1}) var ${slot}Sampler: sampler;
`;
};

/**
 * Returns the WGSL functions with which a feature reads a slot, and the constant `<slot>IsBound`. An unbound slot reads
 * as white, or as an untilted normal if the slot holds normals.
 */
export function slotCode(slot: TextureSlot, isBound: boolean): string {
  if (!isBound) {
    const texel = TEXTURE_SLOT_DECLARATIONS[slot].isNormal ? '0.5, 0.5, 1.0, 1.0' : '1.0';
    return `const ${slot}IsBound = false;
fn ${slot}Uv(input: Varying) -> vec2f { return input.uv.xy; }
fn ${slot}Texel(input: Varying) -> vec4f { return vec4f(${texel}); }
`;
  }
  return `${slotBindings(slot)}const ${slot}IsBound = true;

fn ${slot}Uv(input: Varying) -> vec2f {
  return slotUv(input.materialSlot, ${TEXTURE_SLOTS.indexOf(slot)}u, input.uv);
}

fn ${slot}Texel(input: Varying) -> vec4f {
  return textureSample(${slot}Texture, ${slot}Sampler, ${slot}Uv(input));
}
`;
}

/** WGSL for shadow maps that reads the alpha of the base colour's texture. */
export const TEXTURE_ALPHA_CODE = `${coordinatesCode}${slotBindings('baseColor')}
fn textureAlpha(slot: u32, uv: vec4f) -> f32 {
  return textureSample(baseColorTexture, baseColorSampler, slotUv(slot, ${TEXTURE_SLOTS.indexOf('baseColor')}u, uv)).a;
}
`;
