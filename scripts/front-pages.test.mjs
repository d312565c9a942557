// The pages that a newcomer opens first keep to their budgets, and their links lead somewhere.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/STYLE.md', 'docs/figures.md'];

const read = (page) => readFileSync(page, 'utf8');

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page) {
  const headings = read(page)
    .replace(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the links of a page, or of `text` in its place, that lead to no file, folder or heading. */
function brokenLinksOf(page, text = read(page)) {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address]) => address);
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
