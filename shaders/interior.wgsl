// The space below a surface, for features that let light pass (src/render/materials/features/). Joined to mesh.wgsl
// before their code.

// Length in metres of a path straight through the solid; 0: a thin wall.
var<private> solidThickness = 0.0;
// Absorption coefficient, per metre.
var<private> absorption = vec3f(0.0);
// Strength with which the solid splits light into colours.
var<private> colorSpread = 0.0;

fn absorbed(light: vec3f, metres: f32) -> vec3f {
  return light * exp(-absorption * metres);
}
