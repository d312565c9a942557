import type { StreamReader } from '../../core/streams/stream.js';
import { TEXTURE_SLOTS } from '../../proxy/materials/material-layout.js';
import { type BindGroupEntry, type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { DecalBinding, GpuDecal } from '../pipelines/decal-layout.js';
import type { Scene } from '../scene/scene.js';

const { at } = GpuDecal;
const PICTURE = TEXTURE_SLOTS.indexOf('baseColor');
const NORMALS = TEXTURE_SLOTS.indexOf('normal');

/** One decal: its settings, its box and its resources in bind group 0. */
export class Decal {
  /** One bit per layer; 0: no view shows the decal. */
  layers = 0;
  renderOrder = 0;
  /** Whether a view may show the decal: it is visible, its box has a volume, and its textures have arrived. */
  isPlaced = false;
  isDisposed = false;
  /** Increases when the decal gets another material. */
  version = 0;
  /** Planes of the box, see `View.planes`. */
  readonly planes = new Float64Array(24);
  readonly #rhi: ImmediateContext;
  #buffer: BufferHandle | undefined;
  readonly #settings = new Float32Array(GpuDecal.words);
  readonly #sent = new Float32Array(GpuDecal.words).fill(Number.NaN);
  #node = 0;
  #material = 0;
  #isTilted = false;
  readonly #size = new Float64Array(3);

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Reads the settings from the reader's current record, a `setDecal`. */
  set({ words, floats, fields }: StreamReader): void {
    this.#node = words[fields + 1] as number;
    if (this.#material !== words[fields + 2]) this.version++;
    this.#material = words[fields + 2] as number;
    this.#isTilted = words[fields + 3] === 1;
    this.layers = words[fields + 4] as number;
    this.renderOrder = (words[fields + 5] as number) | 0;
    for (let axis = 0; axis < 3; axis++) this.#size[axis] = floats[fields + 6 + axis] as number;
    for (let channel = 0; channel < 4; channel++) {
      this.#settings[at.color + channel] = floats[fields + 9 + channel] as number;
    }
    this.#settings[at.isTilted] = this.#isTilted ? 1 : 0;
  }

  /** Per frame, outside passes, after the scene's update: places the box, and uploads changed settings. */
  prepare({ nodes, renderOrigin, materials }: Scene): void {
    this.isPlaced =
      this.layers !== 0 &&
      this.#haveArrived(materials) &&
      nodes.has(this.#node) &&
      this.#place(nodes.world, this.#node * 12, renderOrigin);
    if (!this.isPlaced) return;
    const settings = this.#settings;
    const sent = this.#sent;
    let isSame = true;
    for (let index = 0; index < settings.length; index++) isSame &&= settings[index] === sent[index];
    if (isSame) return;
    sent.set(settings);
    this.#buffer ??= this.#rhi.createBuffer({
      label: 'decal',
      byteLength: GpuDecal.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#rhi.writeBuffer(this.#buffer, 0, settings);
  }

  /** Returns the decal's entries of bind group 0. Called only while the decal is placed. */
  entries({ materials }: Scene): readonly BindGroupEntry[] {
    const set = materials.textureSet[this.#material] as number;
    const { sets } = materials.textures as NonNullable<typeof materials.textures>;
    const picture = sets.slot(set, PICTURE);
    const normals = sets.slot(set, NORMALS);
    return [
      { binding: DecalBinding.settings, buffer: this.#buffer as BufferHandle },
      { binding: DecalBinding.picture, view: { texture: picture.texture } },
      { binding: DecalBinding.pictureSampler, sampler: picture.sampler },
      { binding: DecalBinding.normals, view: { texture: normals.texture } },
      { binding: DecalBinding.normalSampler, sampler: normals.sampler },
    ];
  }

  dispose(): void {
    this.isDisposed = true;
    this.#rhi.destroy(this.#buffer);
    this.#buffer = undefined;
  }

  /** Whether the picture has arrived, and the normal map if the decal has one. */
  #haveArrived({ textures, textureSet }: Scene['materials']): boolean {
    const set = textureSet[this.#material] as number;
    if (!textures || !(set > 0) || textures.sets.textureOf(set, PICTURE) < 0) return false;
    return !this.#isTilted || textures.sets.textureOf(set, NORMALS) >= 0;
  }

  /** Writes the place of the box to the settings and to the planes. @returns whether the box has a volume */
  #place(world: Float64Array, matrix: number, origin: Float64Array): boolean {
    const settings = this.#settings;
    const { planes } = this;
    for (let axis = 0; axis < 3; axis++) {
      let squared = 0;
      for (let row = 0; row < 3; row++) squared += (world[matrix + row * 4 + axis] as number) ** 2;
      const scale = Math.sqrt(squared);
      const side = scale * (this.#size[axis] as number);
      if (!(side > 0 && Number.isFinite(side))) return false;
      const place = axis === 0 ? at.right : axis === 1 ? at.up : at.facing;
      // The coordinate in the box is the distance along the axis, divided by the side. This assumes that the axes are
      // perpendicular, so a sheared node places its decal inexactly.
      let offset = 0;
      for (let row = 0; row < 3; row++) {
        const direction = (world[matrix + row * 4 + axis] as number) / scale;
        settings[place + row] = direction;
        settings[at.boxFromWorld + axis * 4 + row] = direction / side;
        offset -= direction * ((world[matrix + row * 4 + 3] as number) - (origin[row] as number));
        planes[axis * 8 + row] = direction;
        planes[axis * 8 + 4 + row] = -direction;
      }
      settings[at.boxFromWorld + axis * 4 + 3] = offset / side;
      planes[axis * 8 + 3] = offset + side / 2;
      planes[axis * 8 + 7] = side / 2 - offset;
    }
    return true;
  }
}
