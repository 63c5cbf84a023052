import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { runbookPage, writeRunbookPages } from '../setup/runbook-pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = (markdown) => runbookPage('RoundhouseA', markdown, new Set(['RoundhouseA', 'RoundhouseB']));

test('headings, paragraphs, lists and tables', () => {
  const html = page(
    '# RoundhouseA\n\nGone\n_now_.\n\n- `a < b`\n- two\n  lines\n\n| x | y |\n| - | - |\n| 1 | 2 |\n',
  );
  assert.match(html, /<h1>RoundhouseA<\/h1>/);
  assert.match(html, /<p>Gone <em>now<\/em>\.<\/p>/);
  assert.match(html, /<ul><li><code>a &lt; b<\/code><\/li><li>two lines<\/li><\/ul>/);
  assert.match(html, /<th scope="col">y<\/th><\/tr><\/thead><tbody><tr><td>1<\/td><td>2<\/td><\/tr>/);
});

test('other alerts are links, also where only their name stands; what is no page is told as a place', () => {
  const html = page('RoundhouseB, [see](RoundhouseB.md), RoundhouseC, [how](../models.md)');
  assert.equal(html.match(/<a href="\/runbook\/RoundhouseB">/g).length, 2);
  assert.match(html, /, RoundhouseC, how <small>\(docs\/models\.md\)<\/small>/);
});

test('every page of the runbook becomes one, and no link of them leads nowhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-runbook-'));
  try {
    writeRunbookPages(root, folder);
    const names = new Set(readdirSync(folder).map((file) => file.replace(/\.html$/, '')));
    assert.equal(names.size, readdirSync(join(root, 'docs', 'runbook')).length);
    for (const name of names) {
      const html = readFileSync(join(folder, `${name}.html`), 'utf8');
      const targets = [...html.matchAll(/href="\/runbook\/(\w+)"/g)].map(([, target]) => target);
      for (const target of targets) assert.ok(names.has(target), `${name} leads to ${target}`);
      assert.doesNotMatch(html, /\]\(|\n\|/, `${name} has Markdown that is not understood`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
