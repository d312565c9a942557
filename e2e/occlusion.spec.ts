import { expect } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';

// Primitives that are wholly behind an occluder are not drawn, and the picture is unchanged (SYSTEMS R13).

inEveryMode(
  'R13: an occluder culls primitives that are wholly behind it, and no picture changes',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world } = engine;
    const { boxGeometry, sphereGeometry, standardMaterial, geometry } = fencepost;
    const beside = world.addCamera({ position: [14, 6, -4], lookAt: [0, 0, -4] });
    const camera = world.addCamera({ position: [0, 2, 12], lookAt: [0, 1, 0] });
    world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3, castShadow: { mapSize: 256 } });
    world.addMesh({ geometry: boxGeometry({ size: [40, 0.2, 40] }), position: [0, -0.1, -10] });
    const material = standardMaterial({ baseColor: '#c05020' });
    const ball = sphereGeometry({ radius: 0.3, segments: 8 });
    for (let index = 0; index < 96; index++) {
      // The balls are in rows. The outer and highest ones can be seen past the wall.
      world.addMesh({
        geometry: ball,
        material,
        position: [(index % 12) - 5.5, 0.4 + Math.floor(index / 48) * 3, -(index % 8)],
      });
    }
    const wallGeometry = boxGeometry({ size: [9, 3, 0.4] });
    const wall = world.addMesh({
      geometry: wallGeometry,
      material: standardMaterial(),
      position: [0, 1.5, 4],
    });
    const side = engine.addView({ camera: beside, rect: { x: 0.6, y: 0, width: 0.4, height: 0.4 } });
    const solid = wall.root.material;
    const visible: Record<string, number[]> = {};
    const look = async (name: string, occluder: boolean | typeof wallGeometry = true): Promise<void> => {
      wall.root.occluder = false;
      await engine.step(0);
      const without = await kit.picture(engine);
      const all = engine.stats().visible;
      wall.root.occluder = occluder;
      await engine.step(0);
      if ((await kit.picture(engine)) !== without) throw new Error(`${name}: another picture`);
      const left = engine.stats().visible;
      await engine.step(0);
      if ((await kit.picture(engine)) !== without || engine.stats().visible !== left) {
        throw new Error(`${name}: another picture or count in the next frame`);
      }
      visible[name] = [all, left];
    };
    await engine.whenReady();
    await look('wall');
    wall.position.x = 4;
    wall.rotateY(0.5);
    await look('moved');
    wall.position.x = 0;
    wall.rotation.set(0, 0, 0, 1);
    wall.scale.set(-1, 1, 1);
    await look('mirrored');
    wall.scale.set(1, 1, 1);
    await look('simpler geometry', boxGeometry({ size: [8.8, 2.8, 0.2] }));
    engine.renderer = 'deferred';
    await engine.whenReady();
    await look('deferred');
    engine.renderer = 'forward';
    camera.root.orthographic = { halfHeight: 5 };
    await look('orthographic');
    camera.root.orthographic = null;
    camera.position.set(0, 12, 12);
    camera.lookAt([0, 0, -2]);
    await look('from above');
    camera.position.set(0, 2, 12);
    camera.lookAt([0, 1, 0]);
    // A wall with a transparent material hides nothing.
    wall.root.material = standardMaterial({ alphaMode: 'mask' });
    await engine.whenReady();
    await look('masked');
    wall.root.material = standardMaterial({ alphaMode: 'blend', baseColor: [1, 1, 1, 0.5] });
    await engine.whenReady();
    await look('blended');
    wall.root.material = solid;
    wall.visible = false;
    await look('hidden');
    wall.visible = true;
    wall.root.layers = 2;
    camera.position.y = 2;
    side.layers = 1;
    await look('not in the layers of one view');
    wall.root.layers = 1;
    side.layers = 0xffffffff;
    // An open wall shows, and occludes, only from one side.
    const panes = { positions: [-4.5, 0, 0, 4.5, 0, 0, 4.5, 3, 0, -4.5, 3, 0], indices: [0, 1, 2, 0, 2, 3] };
    const open = geometry(panes);
    wall.root.geometry = open;
    wall.position.set(0, 0, 4);
    await look('open');
    wall.rotateY(Math.PI);
    await look('from behind');
    wall.root.material = standardMaterial({ doubleSided: true });
    await engine.whenReady();
    await look('from behind, two-sided');
    wall.rotation.set(0, 0, 0, 1);
    wall.root.material = solid;
    // The wall is an occluder already when its triangles change.
    wall.root.occluder = true;
    await engine.step(0);
    open.update({ positions: panes.positions.map((value) => value / 3) });
    await engine.step(0);
    const updated = [engine.stats().visible, await kit.picture(engine)];
    await look('updated');
    wall.destroy();
    await engine.step(0);
    const destroyed = engine.stats().visible;
    // Instances can be occluders, and so can a clone.
    const fence = world.addInstances({
      geometry: boxGeometry({ size: [2, 4, 0.2] }),
      count: 5,
      occluder: true,
    });
    fence.positions.set([-4, 2, 4, -2, 2, 4, 0, 2, 4, 2, 2, 4, 4, 2, 4]);
    fence.touch();
    await engine.step(0);
    const instances = engine.stats().visible;
    fence.destroy();
    const first = world.addMesh({ geometry: wallGeometry, position: [0, 90, 4], occluder: true });
    const copy = first.clone({ position: [0, 1.5, 4] });
    await engine.step(0);
    return {
      visible,
      isUpdateSeen: updated[0] === visible.updated?.[1],
      destroyed,
      instances,
      copied: engine.stats().visible,
      occluder: copy.root.occluder,
    };
  },
  (seen) => {
    const { visible, destroyed, instances, copied, ...rest } = seen as {
      visible: Record<string, [number, number]>;
      destroyed: number;
      instances: number;
      copied: number;
    };
    expect(rest).toEqual({ isUpdateSeen: true, occluder: true });
    for (const name of [
      'wall',
      'moved',
      'mirrored',
      'deferred',
      'orthographic',
      'simpler geometry',
      'open',
      'from behind, two-sided',
    ]) {
      const [all, left] = visible[name] as [number, number];
      expect(all - left, `${name}: ${all}, ${left}`).toBeGreaterThan(20);
    }
    for (const name of ['masked', 'blended', 'hidden', 'from behind']) {
      const [all, left] = visible[name] as [number, number];
      expect(left, name).toBe(all);
    }
    const [all, left] = visible.wall as [number, number];
    expect(destroyed).toBe(all - 2);
    expect(instances).toBeLessThan(all - 20);
    expect(copied).toBe(left);
  },
);
