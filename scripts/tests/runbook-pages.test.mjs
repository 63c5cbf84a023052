import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { slugOf } from '../setup/markdown-page.mjs';
import { markdownPage, servedPages, writeRunbookPages } from '../setup/runbook-pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = new Map([
  ['docs/runbook/RoundhouseA.md', '/runbook/RoundhouseA'],
  ['docs/runbook/RoundhouseB.md', '/runbook/RoundhouseB'],
  ['docs/runbook/README.md', '/runbook/index'],
  ['docs/models.md', '/docs/models'],
]);
const page = (markdown) => markdownPage('docs/runbook/RoundhouseA.md', markdown, pages);

test('headings, paragraphs, lists and tables', () => {
  const html = page(
    '# RoundhouseA\n\nGone\n_now_ and **here**.\n- `a < b`\n- two\n  lines\n\n1. one\n2. two\n\n| x | y |\n| - | - |\n| 1 | `a\\|b` |\n',
  );
  assert.match(html, /<h1 id="roundhousea">RoundhouseA<\/h1>/);
  assert.match(html, /<p>Gone <em>now<\/em> and <strong>here<\/strong>\.<\/p>/);
  assert.match(html, /<ul><li><code>a &lt; b<\/code><\/li><li>two lines<\/li><\/ul>/);
  assert.match(html, /<ol><li>one<\/li><li>two<\/li><\/ol>/);
  assert.match(
    html,
    /<th scope="col">y<\/th><\/tr><\/thead><tbody><tr><td>1<\/td><td><code>a\|b<\/code><\/td><\/tr>/,
  );
});

test('code keeps its lines, its marks and its brackets', () => {
  const html = page('```sh\nnpm run x\n\n# _a_ <b>\n- c\n```\n\nafter');
  assert.match(html, /<code>npm run x\n\n# _a_ &lt;b&gt;\n- c<\/code>/);
  assert.match(html, /<p>after<\/p>/);
  assert.doesNotMatch(page('a <img src=x onerror=y>'), /<img/);
});

test('other alerts are links, also where only their name stands; what is no page is told as a place', () => {
  const html = page(
    'RoundhouseB, [see](RoundhouseB.md), RoundhouseC, [how](../models.md#labels), [x](../x.ts)',
  );
  assert.equal(html.match(/<a href="\/runbook\/RoundhouseB">/g).length, 2);
  assert.match(
    html,
    /, RoundhouseC, <a href="\/docs\/models#labels">how<\/a>, x <small>\(docs\/x\.ts\)<\/small>/,
  );
  assert.match(page('[all](../runbook)'), /<a href="\/runbook\/index">all<\/a>/);
  assert.match(
    page('[out](https://example.org/a_b_c)'),
    /<a href="https:\/\/example.org\/a_b_c" rel="noreferrer">out<\/a>/,
  );
});

test('headings are named as GitHub names them', () => {
  assert.deepEqual(['What `x` is', 'A, b: **c**', 'Über_uns 2'].map(slugOf), [
    'what-x-is',
    'a-b-c',
    'überuns-2',
  ]);
});

test('every page of the runbook, what it leads to and its rules are there, and no link of them leads nowhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-runbook-'));
  try {
    writeRunbookPages(root, folder);
    const addresses = [...servedPages(root).values()];
    assert.ok(addresses.includes('/docs/security') && addresses.includes('/docs/rules/rounds'));
    const read = (address) => readFileSync(join(folder, `${address}.html`), 'utf8');
    for (const address of addresses) {
      const html = read(address);
      const plain = html.replace(/<(code|pre)\b[\s\S]*?<\/\1>/g, '');
      assert.doesNotMatch(plain, /\]\(|\n\||\*\*/, `${address} has Markdown that is not understood`);
      for (const [, target, anchor] of html.matchAll(/href="(\/(?:runbook|docs)\/[^"#]*)(?:#([^"]*))?"/g)) {
        assert.ok(addresses.includes(target), `${address} leads to ${target}`);
        const isThere = anchor === undefined || read(target).includes(`id="${anchor}"`);
        assert.ok(isThere, `${address} leads to ${target}#${anchor}`);
      }
    }
    for (const address of addresses.filter((one) => one.startsWith('/runbook/')))
      assert.doesNotMatch(read(address), /<small>\(/, `${address} names a file that is not served`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
