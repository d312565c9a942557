// Births of particles, and the steps of particles that collide. Joined to particles.wgsl, and to `bounced`, which lets
// particles bounce off surfaces. Random values depend only on
// the system's seed and the particle's number. So a source that rests has the same particles at any frame rate.

@group(0) @binding(0) var<uniform> system: ParticleSystem;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> births: array<u32>;

// Whether particles move in steps.
override isStepped = false;

@compute @workgroup_size(64)
fn simulate(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= system.simulated {
    return;
  }
  let index = system.count - system.simulated + id.x;
  let slot = slotOf(index, system.firstSlot, system.capacity);
  var particle = particles[slot];
  if index >= system.count - system.newborn {
    particle = born(system.firstBirth + index, births[slot]);
  } else {
    particle.position += system.shift;
  }
  if isStepped {
    let age = min(ageOf(births[slot], system.now), u32(particle.life * TICKS_PER_SECOND));
    while particle.steps < age / STEP_TICKS {
      particle = bounced(stepped(particle, f32(STEP_TICKS) / TICKS_PER_SECOND));
      particle.steps += 1u;
    }
  }
  particles[slot] = particle;
}

fn born(number: u32, birth: u32) -> Particle {
  let first = randomNumbers(number, 0u);
  let second = randomNumbers(number, 1u);
  var place = vec3f(0.0);
  switch system.shape {
    case 1u: { place = inBall(first.xyz) * system.source; }
    case 2u: { place = (first.xyz * 2.0 - 1.0) * system.source; }
    case 3u: {
      let angle = first.x * 6.2831853;
      place = sqrt(first.y) * vec3f(cos(angle), 0.0, sin(angle)) * system.source;
    }
    default: {}
  }
  let velocity = system.velocity + inBall(second.xyz) * system.spread;
  // The source moves evenly during the frame.
  let sinceBirth = f32(min(ageOf(birth, system.now), system.frameTicks)) / f32(max(system.frameTicks, 1u));
  var particle: Particle;
  for (var row = 0; row < 3; row++) {
    let now = system.sourceNow[row];
    let matrix = now + (system.sourceBefore[row] - now) * sinceBirth;
    particle.position[row] = dot(matrix.xyz, place) + matrix.w;
    particle.velocity[row] = dot(matrix.xyz, velocity);
  }
  particle.steps = 0u;
  particle.life = mix(system.lifeLeast, system.lifeMost, first.w);
  return particle;
}

// Returns a point in the unit ball, from three numbers below 1.
fn inBall(random: vec3f) -> vec3f {
  let z = random.x * 2.0 - 1.0;
  let angle = random.y * 6.2831853;
  let around = sqrt(max(1.0 - z * z, 0.0));
  return vec3f(around * cos(angle), z, around * sin(angle)) * pow(random.z, 1.0 / 3.0);
}

// Returns four numbers from 0 to below 1: the hash pcg4d of M. Jarzynski and M. Olano, "Hash Functions for GPU
// Rendering", 2020.
fn randomNumbers(number: u32, purpose: u32) -> vec4f {
  var v = vec4u(number, system.seed, purpose, 0u) * 1664525u + 1013904223u;
  for (var round = 0; round < 2; round++) {
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    if round == 0 {
      v ^= v >> vec4u(16u);
    }
  }
  return vec4f(v >> vec4u(8u)) / 16777216.0;
}
