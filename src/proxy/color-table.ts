/**
 * A table of colours for `colorGrading`. Texels are linear in memory, four floats each. A cube is stored as a strip of
 * squares, one per blue value:
 *
 *   curves   size × 1        texel x: output of each channel for the input x / (size − 1)
 *   cube     size² × size    texel (blue · size + red, green): output for these inputs
 */
export interface TableData {
  /** Texels along each edge of the cube, or of the curves. */
  readonly size: number;
  /** Whether the output depends on all channels together. */
  readonly isCube: boolean;
  /** Inputs at the first and the last texel, for each channel. */
  readonly least: readonly number[];
  readonly most: readonly number[];
  readonly texels: Float32Array<ArrayBuffer>;
}

/** A table of colours, see `loadColorTable`. It can be used in several engines and views. */
export class ColorTable {
  /** Name of the file, for messages. */
  readonly name: string;
  /** Colours along each edge of the cube, 2 to 64; or of the three curves, 2 to 4096. */
  readonly size: number;
  /** Whether the table is a cube, instead of three curves. */
  readonly isCube: boolean;
  /** @internal */
  readonly data: TableData;

  /** @internal use `loadColorTable` or `parseCube` */
  constructor(name: string, data: TableData) {
    this.name = name;
    this.size = data.size;
    this.isCube = data.isCube;
    this.data = data;
    Object.freeze(this);
  }
}
