// Functions for simulating, sorting and drawing particles. The shaders for that bind `system`. Its structure
// ParticleSystem is generated (src/render/particles/gpu-particles.ts). Positions are relative to the system's anchor,
// in metres.

const TICKS_PER_SECOND = 65536.0;
// Ticks of a step, for particles that collide: 1/64 s.
const STEP_TICKS = 1024u;

// Whether particles bounce off a plane.
override collides = false;

struct Particle {
  position: vec3f,
  // Number of steps since birth that position and velocity include; 0 without collisions.
  steps: u32,
  velocity: vec3f,
  // Seconds.
  life: f32,
}

// Returns the slot of a particle. @param index number in the window of particles that may live, oldest first
fn slotOf(index: u32, firstSlot: u32, capacity: u32) -> u32 {
  let slot = firstSlot + index;
  return select(slot, slot - capacity, slot >= capacity);
}

// Returns the ticks since a birth, or 0 if the birth lies after `now`. A late frame, which the render thread draws by
// its own clock, may have a later time than the next frame. The next frame then has particles that are not born yet.
fn ageOf(birth: u32, now: u32) -> u32 {
  let age = now - birth;
  return select(age, 0u, age >= 0x80000000u);
}

// Returns position and velocity after some seconds, from the closed form of motion with linear drag:
//   velocity' = gravity − drag · velocity
fn moved(before: Particle, seconds: f32, gravity: vec3f, drag: f32) -> Particle {
  var after = before;
  let x = drag * seconds;
  let left = exp(-x);
  // ∫ e^(−drag·t) dt and its integral. For a small x the closed forms would lose their digits.
  var once = seconds * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x / 24.0)));
  var twice = seconds * seconds * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0)));
  if x > 0.1 {
    once = (1.0 - left) / drag;
    twice = (seconds - once) / drag;
  }
  after.position += before.velocity * once + gravity * twice;
  after.velocity = before.velocity * left + gravity * once;
  return after;
}

// Moves a particle, and lets it bounce if it is behind the plane afterwards.
fn stepped(before: Particle, seconds: f32) -> Particle {
  let after = moved(before, seconds, system.gravity, system.drag);
  if !collides {
    return after;
  }
  let normal = system.planeNormal;
  return returned(after, normal, system.planeDistance - dot(after.position, normal));
}

// Lets a particle that is behind a surface return to it, and bounce.
// @param normal unit vector that points away from the surface
// @param metres distance behind the surface; negative in front of it
fn returned(before: Particle, normal: vec3f, metres: f32) -> Particle {
  var after = before;
  if metres > 0.0 {
    after.position += normal * metres;
    let speed = dot(after.velocity, normal);
    let along = after.velocity - normal * speed;
    after.velocity = along * (1.0 - system.friction) + normal * max(-speed * system.bounce, speed);
  }
  return after;
}
