import { type Engine, type Level, type Playback, planeGeometry, standardMaterial } from '../../src/index.js';

const CLIPS = ['walk', 'idle', 'wave'];

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 3.2, 8.5], lookAt: [0, 0, -0.4], fovY: 0.7 });
  world.setAmbient('#8fa3c8', 0.8);
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2 });
  world.addMesh({
    geometry: planeGeometry({ size: 24 }),
    material: standardMaterial({ baseColor: '#3b4a3a', roughness: 0.9 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
  });
  // One file is loaded. Its clones share geometry and clips, and play independently on the render thread.
  const figures: Level[] = [];
  const playing: Playback[] = [];
  const play = (place: number, clip: number, options: object) => {
    playing[place] = (figures[place] as Level).play(CLIPS[clip % CLIPS.length] as string, options);
  };
  for (let place = 0; place < 100; place++) {
    const position = [((place % 10) - 4.5) * 0.9, 0, (Math.floor(place / 10) - 6.5) * 0.9];
    figures[place] = figures[0]?.clone({ position }) ?? (await world.load('../walker.glb', { position }));
    play(place, place, { startSeconds: place * 0.13 });
  }
  // Ten times a second one figure changes its clip, and the old clip fades out.
  let turn = 0;
  const change = () => {
    const place = (++turn * 37) % figures.length;
    playing[place]?.stop({ fadeSeconds: 0.5 });
    play(place, turn, { fadeSeconds: 0.5 });
  };
  world.onFixedTick(change, { hertz: 10 });
}
