// Sorts the particles of a system back to front for one view, by a bitonic sort. Joined to particles.wgsl. Equal depths
// keep the order of birth, so the result does not depend on the order in which threads run.
//
//   writeKeys ─► sortBlocks: 512 entries each ─► per doubled length: mergeFar … ─► mergeBlocks

@group(0) @binding(0) var<uniform> system: ParticleSystem;
@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> births: array<u32>;
@group(1) @binding(0) var<uniform> sorting: Sorting;
// Key and index in the window. Small keys are drawn first.
@group(1) @binding(1) var<storage, read_write> entries: array<vec2u>;
@group(2) @binding(0) var<uniform> merge: Merge;

const BLOCK = 512u;
var<workgroup> block: array<vec2u, BLOCK>;

@compute @workgroup_size(256)
fn writeKeys(@builtin(global_invocation_id) id: vec3u) {
  let index = id.x;
  if index >= sorting.length {
    return;
  }
  // Entries beyond the last particle stay at the end.
  var key = 0xffffffffu;
  if index < system.count {
    let slot = slotOf(index, system.firstSlot, system.capacity);
    let particle = particles[slot];
    let rest = f32(ageOf(births[slot], system.now) - particle.steps * STEP_TICKS) / TICKS_PER_SECOND;
    let depth = dot(stepped(particle, rest).position, sorting.forward) + sorting.distance;
    // The bits of numbers from 0 on are in the order of the numbers.
    key = 0x7fffffffu - (bitcast<u32>(max(depth, 0.0)) & 0x7fffffffu);
  }
  entries[index] = vec2u(key, index);
}

@compute @workgroup_size(256)
fn sortBlocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let begin = group.x * BLOCK;
  load(begin, local.x);
  for (var length = 2u; length <= BLOCK; length *= 2u) {
    for (var reach = length / 2u; reach > 0u; reach /= 2u) {
      workgroupBarrier();
      exchangeInBlock(local.x, begin, length, reach);
    }
  }
  workgroupBarrier();
  store(begin, local.x);
}

// Finishes merging into sequences of `merge.length` entries, once all compared pairs lie within blocks.
@compute @workgroup_size(256)
fn mergeBlocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let begin = group.x * BLOCK;
  load(begin, local.x);
  for (var reach = BLOCK / 2u; reach > 0u; reach /= 2u) {
    workgroupBarrier();
    exchangeInBlock(local.x, begin, merge.length, reach);
  }
  workgroupBarrier();
  store(begin, local.x);
}

@compute @workgroup_size(256)
fn mergeFar(@builtin(global_invocation_id) id: vec3u) {
  let reach = merge.reach;
  let first = (id.x / reach) * reach * 2u + id.x % reach;
  if first + reach >= sorting.length {
    return;
  }
  let a = entries[first];
  let b = entries[first + reach];
  if isAfter(a, b) == ((first & merge.length) == 0u) {
    entries[first] = b;
    entries[first + reach] = a;
  }
}

fn load(begin: u32, thread: u32) {
  block[thread] = entries[begin + thread];
  block[thread + BLOCK / 2u] = entries[begin + thread + BLOCK / 2u];
}

fn store(begin: u32, thread: u32) {
  entries[begin + thread] = block[thread];
  entries[begin + thread + BLOCK / 2u] = block[thread + BLOCK / 2u];
}

fn exchangeInBlock(thread: u32, begin: u32, length: u32, reach: u32) {
  let first = (thread / reach) * reach * 2u + thread % reach;
  let a = block[first];
  let b = block[first + reach];
  if isAfter(a, b) == (((begin + first) & length) == 0u) {
    block[first] = b;
    block[first + reach] = a;
  }
}

fn isAfter(a: vec2u, b: vec2u) -> bool {
  return a.x > b.x || (a.x == b.x && a.y > b.y);
}
