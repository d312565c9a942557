// Keeps the depth of a view for the next frame, in which particles bounce off its surfaces. Joined to the declaration
// of `sceneDepth`, of which the first sample of each pixel is kept.

@group(0) @binding(1) var keptDepth: texture_storage_2d<r32float, write>;

@compute @workgroup_size(8, 8)
fn keepDepth(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= textureDimensions(keptDepth)) {
    return;
  }
  textureStore(keptDepth, id.xy, vec4f(textureLoad(sceneDepth, id.xy, 0)));
}
