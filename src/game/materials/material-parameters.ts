/**
 * Parameters and textures of materials, as options and as properties. Both are derived from the declarations of
 * features (`proxy/materials/material-features.ts`), so a new feature needs no change here.
 *
 *   roughness: { size: 1, default: 0.5 … } ─► option `roughness`, property `material.roughness`, channel of `animate()`
 *   normal: { pointer … }                  ─► option and property `normalTexture`
 */
import { checkMember, type Member, type Optional, type Shape } from '../../core/options/member.js';
import { anything, numberFrom, property } from '../../core/options/members.js';
import type { MaterialParameter, MaterialParameters } from '../../proxy/materials/material-features.js';
import {
  MATERIAL_PARAMETERS,
  MaterialOffset,
  TEXTURE_SLOTS,
  type TextureSlot,
} from '../../proxy/materials/material-layout.js';
import { refusingUnknown } from '../checks/unknown-properties.js';
import type { Texture, TextureUse } from '../textures/texture.js';
import { type ColorLike, parseColor } from './color.js';

export type TextureOption = Texture | TextureUse | null;

/** Colours that `Material` defines itself, because `opacity` and `emissiveStrength` change them as well. */
type OwnColor = 'baseColor' | 'emissive';
const OWN_COLORS: readonly string[] = ['baseColor', 'emissive'] satisfies OwnColor[];

/** Properties of materials whose value is one number. */
export type MaterialNumbers = {
  -readonly [Name in keyof MaterialParameters as MaterialParameters[Name]['size'] extends 1
    ? Name
    : never]: number;
};
/** Properties of materials whose value is a colour. */
export type MaterialColors = {
  -readonly [Name in Exclude<keyof MaterialParameters, OwnColor> as MaterialParameters[Name]['size'] extends 1
    ? never
    : Name]: ColorLike;
};
/** Properties of materials whose value is a texture, such as `normalTexture`. */
export type MaterialTextures = { [Slot in TextureSlot as `${Slot}Texture`]: TextureOption };

/** A parameter of one number: its offset and its range. */
export interface MaterialNumber {
  readonly name: keyof MaterialNumbers;
  readonly offset: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Whether unlit materials have the parameter, too. */
  readonly isUnlit: boolean;
}

export const MATERIAL_NUMBERS: readonly MaterialNumber[] = /* @__PURE__ */ (
  Object.entries(MATERIAL_PARAMETERS) as [keyof MaterialNumbers, MaterialParameter][]
)
  .filter(([, { size }]) => size === 1)
  .map(([name, { minimum = 0, maximum = 1, isUnlit = false }]) => ({
    name,
    offset: MaterialOffset[name],
    minimum,
    maximum,
    isUnlit,
  }));

const rowOf = ({ minimum = 0, maximum = 1 }: MaterialParameter): Member<number> & Optional =>
  property(numberFrom(minimum, maximum));

/** Returns the row that checks a number's option and property. */
export const numberOption = (name: keyof MaterialNumbers): Member<number> & Optional =>
  rowOf(MATERIAL_PARAMETERS[name]);

/** Returns the row of a colour. It accepts any value, because `parseColor` checks the colour in the setter. */
export const colorOption = (): Member<ColorLike> & Optional => property(anything<ColorLike>());

/** Returns the row of a texture. It accepts any value, because `Material.setTexture` checks the texture. */
export const textureOption = (): Member<TextureOption> & Optional => property(anything<TextureOption>());

/**
 * Returns the options for parameters and textures.
 * @param isUnlit whether to include only the options of unlit materials
 */
export function parameterOptions(isUnlit: boolean): Shape {
  const options: Record<string, Member> = {};
  for (const [name, each] of Object.entries(MATERIAL_PARAMETERS) as [string, MaterialParameter][]) {
    if (!isUnlit || each.isUnlit) options[name] = each.size === 1 ? rowOf(each) : colorOption();
  }
  for (const slot of isUnlit ? ['baseColor'] : TEXTURE_SLOTS) options[`${slot}Texture`] = textureOption();
  return options;
}

/** The members of a material that the getters and setters below use. */
interface ParameterHost {
  readonly parameters: Float32Array;
  readonly textures: readonly (Texture | null)[];
  setTexture(slot: TextureSlot, value: TextureOption): void;
  changed(): void;
}

/**
 * Returns a class with a property for each texture and each parameter except `OWN_COLORS`. `Material` extends it.
 * @param parameters parameters by name
 * @param offsets offsets of the parameters by name
 */
export function parameterClass(
  parameters: Readonly<Record<string, MaterialParameter>> = MATERIAL_PARAMETERS,
  offsets: Readonly<Record<string, number>> = MaterialOffset,
): abstract new () => MaterialNumbers & MaterialColors & MaterialTextures {
  abstract class Parameters extends refusingUnknown('A material', Object, ['name']) {}
  const define = (name: string, accessors: PropertyDescriptor & ThisType<ParameterHost>): void => {
    Object.defineProperty(Parameters.prototype, name, { ...accessors, configurable: true });
  };
  for (const [name, parameter] of Object.entries(parameters)) {
    const { size } = parameter;
    const offset = offsets[name] as number;
    if (size === 1) {
      const row = rowOf(parameter);
      define(name, {
        get() {
          return this.parameters[offset];
        },
        set(value: number) {
          this.parameters[offset] = checkMember('material', name, value, row);
          this.changed();
        },
      });
    } else if (!OWN_COLORS.includes(name)) {
      define(name, {
        get() {
          return Array.from(this.parameters.subarray(offset, offset + size));
        },
        set(value: ColorLike) {
          this.parameters.set(parseColor('material', name, value).slice(0, size), offset);
          this.changed();
        },
      });
    }
  }
  for (const [number, slot] of TEXTURE_SLOTS.entries()) {
    define(`${slot}Texture`, {
      get() {
        return this.textures[number] ?? null;
      },
      set(value: TextureOption) {
        this.setTexture(slot, value);
      },
    });
  }
  return Parameters as unknown as ReturnType<typeof parameterClass>;
}
