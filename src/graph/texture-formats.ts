/** Formats by number, in the order in which they were first declared: a shape is compared as numbers. */
const formats: GPUTextureFormat[] = [];

export function formatNumber(format: GPUTextureFormat): number {
  const known = formats.indexOf(format);
  return known >= 0 ? known : formats.push(format) - 1;
}

export function formatOfNumber(number: number): GPUTextureFormat {
  return formats[number] as GPUTextureFormat;
}

export function hasStencil(format: GPUTextureFormat): boolean {
  return format.includes('stencil');
}
