// Front pages and architecture pages keep to their budgets of words, and links of all pages lead somewhere.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name).replaceAll('\\', '/')),
];

const read = (page) => readFileSync(page, 'utf8');

/** Returns the anchors of a page's headings, as GitHub makes them, and the ids that the page gives by hand. */
function anchorsOf(page) {
  const text = read(page).replace(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id)];
}

/** Returns the links of a page, or of `text` in its place, that lead to no file, folder, heading or id. */
function brokenLinksOf(page, text = read(page)) {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address]) => address);
  return links.filter((address) => {
    if (/^https?:/.test(address)) return false;
    const [path, anchor] = address.split('#');
    const target = path ? join(dirname(page), path) : page;
    if (!existsSync(target)) return true;
    return anchor !== undefined && (statSync(target).isDirectory() || !anchorsOf(target).includes(anchor));
  });
}

describe('front pages', () => {
  it.each(PAGES)('%s has links that lead to files and headings', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it('finds links that lead nowhere', () => {
    const text =
      '[a](LICENSE) [b](missing.md) [c](docs/STYLE.md#words) [d](docs/STYLE.md#missing) [e](docs#words)';
    expect(brokenLinksOf('README.md', text)).toEqual(['missing.md', 'docs/STYLE.md#missing', 'docs#words']);
  });

  it('README.md has at most 900 words', () => {
    expect(read('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  });

  it('docs/architecture has at most 20,000 words', () => {
    const pages = PAGES.filter((page) => page.startsWith('docs/architecture/'));
    expect(pages.length).toBeGreaterThan(20);
    const words = pages.reduce((sum, page) => sum + read(page).trim().split(/\s+/).length, 0);
    expect(words).toBeLessThanOrEqual(20_000);
  });

  it('CHANGELOG.md has at most 60 bullets per release, under headings', () => {
    const [, ...releases] = read('CHANGELOG.md').split(/^## /m);
    expect(releases.length).toBeGreaterThan(0);
    for (const release of releases) {
      const [, ...areas] = release.split(/^### /m);
      expect(areas.length).toBeGreaterThan(0);
      expect(release.match(/^- /gm)?.length ?? 0).toBeLessThanOrEqual(60);
    }
  });
});
