/**
 * The RHI's additions to the language of options (`core/options/member.ts`): handles, formats, WebGPU objects,
 * surfaces.
 */
import type { Member, Optional, Shape } from '../../core/options/member.js';
import { having, isWhole, matching, member, object, optional } from '../../core/options/members.js';
import { kindName, ResourceKind, type ResourceKindName } from './handles.js';

declare const handleBrand: unique symbol;
/** The handle of a resource. The type is a branded number, so that only `create…` calls return handles. */
export type Handle<Kind extends ResourceKindName> = number & { readonly [handleBrand]: Kind };

/** Accepts the handle of a resource of this kind. `accepts` checks only that it is a whole number. */
export const handle = <Kind extends ResourceKindName>(
  kind: Kind,
  remedy = `a ${kindName(kind)}’s handle`,
): Member<Handle<Kind>> => member(isWhole, remedy, { kind: ResourceKind[kind], isExplained: true });

/** Accepts the name of a texture format. */
export const textureFormat = (): Member<GPUTextureFormat> =>
  matching(
    /^((r|rg|rgba|bgra)(8|16|32)([us]norm|[us]int|float)(-srgb)?|rgb9e5ufloat|rgb10a2u(norm|int)|rg11b10ufloat|stencil8|depth(16unorm|24plus|32float)(-stencil8)?|(bc[1-7]|etc2|eac|astc)[\w-]+)$/,
    'a texture format',
  );
/** Accepts the name of a vertex format. */
export const vertexFormat = (): Member<GPUVertexFormat> =>
  matching(
    /^(([us]int8|[us]norm8|[us]int16|[us]norm16|float16)(x[24])?|([us]int32|float32)(x[234])?|[us]norm10-10-10-2|unorm8x4-bgra)$/,
    'a vertex format',
  );

/** Accepts an object that is passed to WebGPU unchanged, with WebGPU's own type. */
export const gpuObject = <Value extends object>(
  shape: { readonly [Name in keyof Required<Value>]: Member },
) => object(shape satisfies Shape) as unknown as Member<Value>;

const canvas = having('getContext', 'an HTMLCanvasElement, an OffscreenCanvas or null');

/** The option for the canvas on which frames are shown. With null or undefined, frames are not shown. */
export const surface: Member<object | null | undefined> & Optional = optional({
  ...canvas,
  accepts: (value: unknown): value is object | null => value === null || canvas.accepts(value),
});
