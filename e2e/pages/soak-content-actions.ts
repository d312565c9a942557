/**
 * Actions of a soak on content: files and their clips, instances, lines, views, the look and the environment, and reads
 * of the picture. The place of a text or label depends on earlier ones, so texts and labels are removed before two
 * pictures are compared.
 */
import type * as fencepost from 'fencepost';
import type { Random } from './soak-random.js';
import type { SoakScene } from './soak-scene.js';
import { CROWD_COUNT, LEVEL_COUNT, VIEW_COUNT } from './soak-state.js';
import { SoakValues } from './soak-values.js';
import type { SoakWatch } from './soak-watch.js';

/** Texts of the soak. They share one texture of glyphs, which grows when a new text does not fit. */
export const TEXTS = ['Exit', 'a\nb', 'ÄÖÜ 123', ''] as const;
/** The expected error if a view is disposed of before its frame is drawn. */
const DISPOSED_VIEW = /^OptionError option-invalid: pick takes a view /;

export interface SoakFiles {
  /** Addresses of files that load. */
  readonly files: readonly string[];
  /** Addresses of files that are refused. */
  readonly refusedFiles: readonly string[];
}

export class ContentActions {
  readonly #values: SoakValues;
  readonly #texts: Promise<fencepost.Actor>[] = [];
  readonly #labels: fencepost.ElementAttachment[] = [];

  constructor(
    private readonly engine: fencepost.Engine,
    private readonly scene: SoakScene,
    private readonly random: Random,
    private readonly watch: SoakWatch,
    private readonly files: SoakFiles,
  ) {
    this.#values = new SoakValues(random);
  }

  /** Removes texts and labels, whose pictures can't be compared. */
  calm(): void {
    for (const text of this.#texts.splice(0)) this.watch.track('text', async () => (await text).destroy());
    for (const label of this.#labels.splice(0)) label.dispose();
  }

  load(): void {
    const { random } = this;
    const slot = random.below(LEVEL_COUNT);
    const file = random.pick(this.files.files);
    const as = /\.glb$/.test(file) ? random.pick(['address', 'bytes'] as const) : 'address';
    const position = this.#values.point();
    const state = { file, as, position, scale: random.between(0.3, 0.8), playbacks: [] };
    this.watch.log('load', slot, file.split('/').pop(), as);
    // The load may be aborted. A file that is not a model is refused in both pages.
    this.watch.track(`load ${file}`, () => this.scene.levels.load(slot, state), /AbortError|^AssetError/);
  }
  loadRefused(): void {
    const file = this.random.pick(this.files.refusedFiles);
    this.watch.log('load, refused', file.split('/').pop());
    this.watch.track(
      `load ${file}`,
      async () => {
        const level = await this.engine.world.load(file);
        level.unload(); // some of these files load, with warnings
      },
      /^AssetError/,
    );
  }
  unload(): void {
    const slot = this.random.below(LEVEL_COUNT);
    this.watch.log('unload', slot);
    this.scene.levels.unload(slot);
  }
  moveLevel(): void {
    const slot = this.random.below(LEVEL_COUNT);
    const scale = this.random.between(0.3, 0.8);
    this.watch.log('move level', slot);
    this.scene.levels.move(slot, this.#values.point(), scale);
  }
  cloneLevel(): void {
    const [from, to] = [this.random.below(LEVEL_COUNT), this.random.below(LEVEL_COUNT)];
    this.watch.log('clone level', from, to);
    this.scene.levels.clone(from, to, this.#values.point());
  }
  play(): void {
    const slot = this.random.below(LEVEL_COUNT);
    const clip = this.random.below(100);
    const options = this.#values.play();
    this.watch.log('play', slot, clip, options.loop, options.speed);
    this.scene.levels.play(slot, clip, options);
  }
  changePlayback(): void {
    const { random } = this;
    const [slot, which] = [random.below(LEVEL_COUNT), random.below(10)];
    const kind = random.pick(['stop', 'fade out', 'fade', 'weight', 'speed', 'time'] as const);
    const number = random.pick([0, 0.25, 1]);
    this.watch.log('playback', slot, which, kind, number);
    this.scene.levels.change(slot, which, (playback) => {
      if (kind === 'stop') playback.stop();
      else if (kind === 'fade out') playback.stop({ fadeSeconds: number });
      else if (kind === 'fade') playback.fadeTo(number, 0.2);
      else playback[kind] = number;
    });
  }

  crowd(): void {
    const slot = this.random.below(CROWD_COUNT);
    const state = this.#values.crowd();
    this.watch.log('crowd', slot, state?.kind ?? 'none', state?.places.length ?? 0);
    this.watch.track('crowd', () => this.scene.crowds.set(slot, state));
  }
  moveCrowd(): void {
    const slot = this.random.below(CROWD_COUNT);
    const from = this.random.below(8);
    const places = this.#values.places();
    this.watch.log('move crowd', slot, from, places.length);
    this.scene.crowds.move(slot, from, places);
  }

  view(): void {
    const slot = this.random.below(VIEW_COUNT);
    const state = this.#values.view();
    const isThere = this.random.next() < 0.6;
    this.watch.log('view', slot, isThere ? `of camera ${state.camera}` : 'none');
    if (isThere) this.scene.views.add(slot, state);
    else this.scene.views.remove(slot);
  }
  viewRect(): void {
    const slot = this.random.below(VIEW_COUNT);
    this.watch.log('view rect', slot);
    this.scene.views.setRect(slot, this.#values.rect());
  }
  look(): void {
    const look = this.#values.look();
    this.watch.log('look', look.renderer, look.antialias, look.toneMapping);
    this.scene.setLook(look);
  }
  environment(): void {
    const environment = this.#values.environment();
    this.watch.log('environment', environment.sources.map(({ source }) => source ?? 'none').join(' '));
    this.watch.track('setEnvironment', () => this.scene.setEnvironment(environment));
  }

  pick(): void {
    const { random, engine } = this;
    const [x, y, which] = [random.below(64), random.below(64), random.below(10)];
    const view = random.next() < 0.3 ? this.scene.views.any(which) : null;
    const isRectangle = random.next() < 0.2;
    this.watch.log('pick', x, y, isRectangle ? 'rectangle' : view ? 'of a view' : '');
    const pick = async (): Promise<void> => {
      if (isRectangle) await engine.pickRectangle(0, 0, x, y);
      else await (view ?? engine).pick(x, y);
    };
    this.watch.track('pick', pick, view ? DISPOSED_VIEW : undefined);
  }
  ray(): void {
    const origin = this.#values.point();
    const hit = this.engine.world.raycast([0, 0, 5], [origin[0]!, origin[1]!, -5]);
    this.watch.log('ray', hit?.actor.name ?? 'nothing');
  }
  text(): void {
    const text = this.random.pick(TEXTS);
    this.watch.log('text', text.length);
    const position = this.#values.point() as [number, number, number];
    const added = this.engine.world.addText({ text, size: 10, position });
    this.#texts.push(added);
    this.watch.track('addText', () => added);
  }
  label(): void {
    const ids = this.scene.meshIds;
    const element = document.createElement('span');
    this.watch.log('label');
    const actor = ids.length > 0 ? this.scene.actorOf(this.random.pick(ids)) : null;
    if (actor)
      this.#labels.push(this.engine.attachElement(element, actor, { occlude: this.random.next() < 0.5 }));
  }
}
