// ACES: the Academy's reference and output transforms, fitted by Stephen Hill. The factor makes middle grey as bright
// as in other engines that use this fit.
fn toneCurve(color: vec3f) -> vec3f {
  let fromSrgb = mat3x3f(
    0.59719, 0.07600, 0.02840,
    0.35458, 0.90834, 0.13383,
    0.04823, 0.01566, 0.83777,
  );
  let toSrgb = mat3x3f(
    1.60475, -0.10208, -0.00327,
    -0.53108, 1.10813, -0.07276,
    -0.07367, -0.00605, 1.07602,
  );
  let v = fromSrgb * (color / 0.6);
  return toSrgb * ((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081));
}
