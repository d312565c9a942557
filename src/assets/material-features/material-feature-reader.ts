import type { Material, Texture } from '@gltf-transform/core';
import type { MaterialValues } from '../../proxy/materials/material-features.js';
import type { TextureSlot } from '../../proxy/materials/material-layout.js';
import type { JsonObject } from '../gltf/gltf-checks.js';

/** How a material reads a texture: a `TextureInfo` of glTF-Transform, or what an extension says. */
export interface SlotInfo {
  getTexCoord(): number;
  getMinFilter(): number | null;
  getMagFilter(): number | null;
  getWrapS(): number;
  getWrapT(): number;
}

/** A texture of a material in a file. */
export interface SlotSource {
  readonly texture: Texture | null;
  readonly info: SlotInfo | null;
  /** The JSON of the texture info, for its extensions. */
  readonly json: unknown;
}

/** A material in a file, with checks of what it says. */
export interface MaterialSource {
  readonly material: Material;
  readonly json: JsonObject;
  /** The JSON of one of its extensions. */
  extension(name: string): JsonObject | undefined;
  /** The texture of a `textureInfo` in the JSON, for extensions, whose textures `material` lacks. */
  texture(info: unknown): SlotSource;
  /** A finite number; what is none becomes the fallback, with a warning. @param at path within the material */
  number(value: unknown, fallback: number, at: string): number;
  /** As many finite numbers. */
  numbers(value: readonly number[], length: number, fallback: number, at: string): number[];
}

/** Reads a material feature out of glTF files: the counterpart of `render/materials/features/`. */
export interface MaterialFeatureReader {
  /** Names of the extensions that it carries out. */
  readonly extensions?: readonly string[];
  /** Parameters of a material that says nothing of them, in the order of the record. */
  readonly defaults?: Partial<MaterialValues>;
  read?(source: MaterialSource): Partial<MaterialValues>;
  textures?(source: MaterialSource): Partial<Record<TextureSlot, SlotSource>>;
  /** Before the file is parsed: rewrites the JSON of an extension into what glTF itself has. */
  rewrite?(root: JsonObject, file: string, warnings: string[]): void;
}
