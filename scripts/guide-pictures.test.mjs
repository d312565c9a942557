// Every guide shows its topic before its first program: by a picture of scripts/guide-pictures.mjs, or by a drawing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guidePictures, PICTURE_SIZE } from './guide-pictures.mjs';

const FOLDER = 'docs/guide/pictures';
const MOST_BYTES = 60_000;
/** Pages that are lists, and have no topic to show. */
const UNPICTURED = ['README', 'names', 'rhi-reference'];

const guides = readdirSync('docs/guide')
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length))
  .filter((guide) => !UNPICTURED.includes(guide));

/** Returns the text before the first program. Blocks without a language are drawings, and belong to it. */
function openingOf(guide) {
  const text = readFileSync(`docs/guide/${guide}.md`, 'utf8');
  const [opening] = text.split(/^```[a-z]/m);
  return opening;
}

it.each(guides)('%s has its picture, or a drawing, before its first program', (guide) => {
  const opening = openingOf(guide);
  if (guidePictures.some((picture) => picture.guide === guide)) {
    expect(opening).toMatch(new RegExp(`^!\\[.+\\]\\(pictures/${guide}\\.png\\)$`, 'm'));
  } else if (!/^```$/m.test(opening)) {
    const [, file = ''] = /^!\[.+\]\((.+\.png)\)$/m.exec(opening) ?? [];
    expect(
      existsSync(join('docs/guide', file)) && file,
      'a drawing, or a picture of another page',
    ).toBeTruthy();
  }
});

it('lists every picture of the folder once, and every listed picture exists', () => {
  const listed = guidePictures.map(({ guide, name = guide }) => `${name}.png`).sort();
  expect(readdirSync(FOLDER).sort()).toEqual(listed);
  for (const { guide } of guidePictures) expect(existsSync(`docs/guide/${guide}.md`), guide).toBe(true);
});

describe.each(guidePictures)(
  'the picture of $guide: $program',
  ({ guide, name = guide, program, bytes: most = MOST_BYTES }) => {
    it('is a small PNG file of the common size', () => {
      const bytes = readFileSync(`${FOLDER}/${name}.png`);
      expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
      expect({ width, height }).toEqual(PICTURE_SIZE);
      expect(bytes.length).toBeLessThanOrEqual(most);
    });

    it('is drawn by a program that the guide prints', () => {
      const text = readFileSync(`docs/guide/${guide}.md`, 'utf8');
      expect(text).toContain(`](pictures/${name}.png)`);
      expect(text).toContain(program === 'html' ? '```html\n' : `\`\`\`js ${program}\n`);
    });
  },
);

it('lists every guide in the index, once', () => {
  const index = readFileSync('docs/guide/README.md', 'utf8');
  const listed = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file).sort();
  const files = readdirSync('docs/guide').filter((file) => file.endsWith('.md') && file !== 'README.md');
  expect(listed).toEqual(files.sort());
});
