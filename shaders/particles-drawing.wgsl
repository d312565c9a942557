// Draws particles as squares that face the camera. Joined to the structure View, to particles.wgsl, and to:
//
//   displayColor   display-colors.wgsl, or the identity
//   indexOf        the order of a sort, or of the births
//   pictureAt      particles-picture.wgsl, or a disc
//   shareInFront   particles-softness.wgsl, or 1

@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<uniform> system: ParticleSystem;
@group(1) @binding(1) var<storage, read> particles: array<Particle>;
@group(1) @binding(2) var<storage, read> births: array<u32>;

// The largest value stored in the half-float scene colour.
const BRIGHTEST = 60000.0;

struct Varying {
  @builtin(position) clipPosition: vec4f,
  @location(0) uv: vec2f,
  @location(1) @interpolate(flat) color: vec4f,
  @location(2) @interpolate(flat) w: f32,
}

@vertex
fn placeParticle(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Varying {
  let slot = slotOf(indexOf(instance), system.firstSlot, system.capacity);
  var particle = particles[slot];
  let age = ageOf(births[slot], system.now);
  let share = f32(age) / TICKS_PER_SECOND / particle.life;
  var out: Varying;
  // Particles that are not alive stay in front of the near plane, so they are not drawn. A life of 0 means never born.
  out.clipPosition = vec4f(0.0, 0.0, 2.0, 1.0);
  if !(share < 1.0) {
    return out;
  }
  let rest = f32(age - particle.steps * STEP_TICKS) / TICKS_PER_SECOND;
  particle = stepped(particle, rest);
  let center = view.clipFromWorld * vec4f(particle.position + system.toOrigin, 1.0);
  // Corners of two triangles: 0 1 2, 2 1 3.
  let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[vertex];
  let offset = vec2f(f32(corner & 1u), f32(corner >> 1u)) - 0.5;
  let rows = transpose(view.clipFromWorld);
  let metre = vec2f(length(acrossView(rows[0].xyz)), length(acrossView(rows[1].xyz)));
  out.clipPosition = vec4f(center.xy + offset * sizeAt(share) * metre, center.zw);
  out.uv = vec2f(offset.x + 0.5, 0.5 - offset.y);
  out.color = colorAt(share);
  out.w = center.w;
  return out;
}

struct Layers {
  @location(0) mapped: vec4f,
  @location(1) unmapped: vec4f,
}

@fragment
fn shadeParticle(input: Varying) -> @location(0) vec4f {
  return displayColor(shade(input));
}

// For passes that have a target for colours without exposure and tone mapping. A particle dims that target by its
// alpha.
@fragment
fn shadeParticleInLayers(input: Varying) -> Layers {
  let color = shade(input);
  return Layers(color, vec4f(0.0, 0.0, 0.0, color.a));
}

fn shade(input: Varying) -> vec4f {
  let color = input.color * pictureAt(input.uv);
  let alpha = color.a * shareInFront(input.clipPosition, input.w);
  return vec4f(min(color.rgb * system.intensity, vec3f(BRIGHTEST)), clamp(alpha, 0.0, 1.0));
}

fn sizeAt(share: f32) -> f32 {
  var size = system.stops[0].z;
  for (var stop = 1u; stop < system.sizeCount; stop++) {
    let before = system.stops[stop - 1u];
    let after = system.stops[stop];
    if share >= before.y {
      size = mix(before.z, after.z, clamp((share - before.y) / max(after.y - before.y, 1e-6), 0.0, 1.0));
    }
  }
  return size;
}

fn colorAt(share: f32) -> vec4f {
  var color = system.colors[0];
  for (var stop = 1u; stop < system.colorCount; stop++) {
    let before = system.stops[stop - 1u].x;
    let after = system.stops[stop].x;
    if share >= before {
      let part = clamp((share - before) / max(after - before, 1e-6), 0.0, 1.0);
      color = mix(system.colors[stop - 1u], system.colors[stop], part);
    }
  }
  return color;
}

// Removes the part of a row along the camera's direction. That part is not zero in crops of a view.
fn acrossView(row: vec3f) -> vec3f {
  return row - dot(row, view.cameraForward) * view.cameraForward;
}
