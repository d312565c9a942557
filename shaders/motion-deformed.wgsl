// Motion of vertices that joints or morph targets move. Joined to motion.wgsl.

@vertex
fn placeMovedBentVertex(
  vertex: Vertex, bend: Bend, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  beginPrevious(slot);
  let before = placeByJoints(morphed(vertex, slot, index), bend, slot);
  beginCurrent(slot);
  return withBefore(withFlatness(vertex, placeByJoints(morphed(vertex, slot, index), bend, slot)), before);
}

@vertex
fn placeMovedMorphedVertex(
  vertex: Vertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32
) -> Varying {
  let slot = instances[instance];
  beginPrevious(slot);
  let before = placeByNode(morphed(vertex, slot, index), slot);
  beginCurrent(slot);
  return withBefore(withFlatness(vertex, placeByNode(morphed(vertex, slot, index), slot)), before);
}

fn paletteRow(row: u32) -> vec4f {
  if isPrevious {
    return bitcast<vec4f>(previousPoses[previousPoses[0].x + row]);
  }
  return palettes[row];
}

fn morphWord(word: u32) -> u32 {
  if isPrevious {
    return previousPoses[previousPoses[0].y + word / 4u][word % 4u];
  }
  return morphs[word];
}
