/** Settings of the pictures of all views. */
export interface OutputSettings {
  /** Red of the background, not premultiplied by alpha. It is linear, or sRGB if `displayCode` is set. */
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Factor on scene colour. */
  exposure: number;
  /** WGSL; empty: none. */
  toneCurve: string;
  /** WGSL with which surfaces map their own tones, tone curve included; empty: the last pass maps tones. */
  displayCode: string;
}
