import { type Engine, planeGeometry, shaderMaterial, sphereGeometry } from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 0.5, 7.5], lookAt: [0, 0, 0], fovY: 0.7 });
  await world.setEnvironment('studio', { intensity: 0.6 });
  world.addDirectionalLight({ direction: [-1, -2, -2], intensity: 2, castShadow: true });
  const geometry = sphereGeometry({ radius: 0.95, segments: 48 });

  const lava = shaderMaterial({
    roughness: 0.9,
    uniforms: { crust: '#241c1c', glow: [6, 1.4, 0.2], speed: 0.15 },
    wgsl: `
      fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let p = point.position * 5.0 + vec3f(0.0, point.time * uniforms.speed, 0.0);
        let wave = sin(p.x + sin(p.y * 1.3)) + sin(p.y + sin(p.z * 1.7)) + sin(p.z + sin(p.x * 1.1));
        let heat = smoothstep(0.25, 0.0, abs(wave) * 0.6);
        (*appearance).baseColor = uniforms.crust;
        (*appearance).emissive = uniforms.glow * heat;
      }`,
  });
  world.addMesh({ geometry, material: lava, position: [-1.1, 0, 0] });

  const checkered = shaderMaterial({
    uniforms: { light: '#e8e4da', dark: '#22303c', count: 12 },
    wgsl: `
      fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let cell = floor(point.uv * vec2f(uniforms.count * 2.0, uniforms.count));
        let isDark = fract((cell.x + cell.y) * 0.5) > 0.25;
        (*appearance).baseColor = select(uniforms.light, uniforms.dark, isDark);
        (*appearance).metallic = select(0.0, 1.0, isDark);
        (*appearance).roughness = select(0.7, 0.15, isDark);
      }`,
  });
  world.addMesh({ geometry, material: checkered, position: [1.1, 0, 0] });

  // The water below the spheres moves its vertices and adapts its normals.
  const water = shaderMaterial({
    roughness: 0.15,
    displacement: 0.1,
    baseColor: '#12506a',
    uniforms: { height: 0.05 },
    wgsl: `
      fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        let phase = vec2f(point.position.x * 3.0 + point.time, point.position.z * 4.0 - point.time * 1.3);
        (*moved).position.y += uniforms.height * (sin(phase.x) + cos(phase.y));
        (*moved).normal = vec3f(-3.0 * uniforms.height * cos(phase.x), 1.0, 4.0 * uniforms.height * sin(phase.y));
      }`,
  });
  const surface = planeGeometry({ width: 8, height: 5, segments: 96, facing: 'y' });
  world.addMesh({ geometry: surface, material: water, position: [0, -1.15, 0] });
}
