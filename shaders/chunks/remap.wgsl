// Maps a number from one range to another. `remapClamped` stays within the second range. An empty first range gives the
// end of the second range.

fn remap(value: f32, fromLow: f32, fromHigh: f32, toLow: f32, toHigh: f32) -> f32 {
  return mix(toLow, toHigh, shareOfRange(value, fromLow, fromHigh));
}

fn remapClamped(value: f32, fromLow: f32, fromHigh: f32, toLow: f32, toHigh: f32) -> f32 {
  return mix(toLow, toHigh, saturate(shareOfRange(value, fromLow, fromHigh)));
}

fn shareOfRange(value: f32, low: f32, high: f32) -> f32 {
  let length = high - low;
  return select((value - low) / length, 1.0, length == 0.0);
}
