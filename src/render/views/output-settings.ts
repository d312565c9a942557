/** How pictures of views are shown, of all views alike. */
export interface OutputSettings {
  /** Red of the background, not multiplied by alpha: linear, or sRGB where there is a `displayCode`. */
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Factor on scene colour. */
  exposure: number;
  /** WGSL; empty: none. */
  toneCurve: string;
  /** WGSL with which surfaces map tones themselves, that of the tone mapping included; empty: they don't. */
  displayCode: string;
}
