import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { blockHtml, blocksOf, escaped, inline } from './markdown-page.mjs';

export const runbookFolder = 'docs/runbook';
const rulesFolder = 'ops/prometheus/rules';

/** Folders of the repository whose files are pages of the console, and below which address. */
export const servedFolders = [
  { folder: runbookFolder, ending: '.md', at: '/runbook' },
  { folder: 'docs', ending: '.md', at: '/docs' },
  { folder: 'docs/adr', ending: '.md', at: '/docs/adr' },
  { folder: rulesFolder, ending: '.yml', at: '/docs/rules' },
];

const pageName = (file, ending) => (file === 'README.md' ? 'index' : basename(file, ending));

/** Every page by its file's place in the repository: `docs/models.md` is `/docs/models`. */
export function servedPages(root) {
  const pages = servedFolders.flatMap(({ folder, ending, at }) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(ending))
      .map((file) => [`${folder}/${file}`, `${at}/${pageName(file, ending)}`]),
  );
  return new Map(pages);
}

/** To another page where there is one; of other files only the place in the repository is told. */
function link(words, address, file, pages) {
  if (/^https?:/.test(address)) return `<a href="${escaped(address)}" rel="noreferrer">${words}</a>`;
  const [path, anchor] = address.split('#');
  const to = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return `<a href="${to}">${words}</a>`;
  const place = normalize(join(dirname(file), path));
  const page = pages.get(place) ?? pages.get(`${place}/README.md`);
  if (page !== undefined) return `<a href="${page}${to}">${words}</a>`;
  return words === place ? `<code>${place}</code>` : `${words} <small>(${place})</small>`;
}

function page(title, body) {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)}</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/console.css" />
    <script src="/theme.js"></script>
  </head>
  <body>
    <main>
      <article class="panel page runbook-page">
        <nav><a href="/">Console</a> · <a href="/runbook/index">Runbook</a></nav>
${body}
      </article>
    </main>
  </body>
</html>
`;
}

const titleOf = (file, markdown) => {
  if (file === `${runbookFolder}/README.md`) return 'Runbook';
  return /^# (.*)$/m.exec(markdown)?.[1] ?? basename(file);
};

/** A file of Markdown as a page of the console. */
export function markdownPage(file, markdown, pages) {
  const own = basename(file, '.md');
  const named = (word) => {
    const address = pages.get(`${runbookFolder}/${word}.md`);
    // A page's own name leads nowhere.
    return address === undefined || word === own ? word : `<a href="${address}">${word}</a>`;
  };
  const place = (words, address) => link(words, address, file, pages);
  const html = (text) => inline(text, { place, named });
  return page(
    titleOf(file, markdown),
    blocksOf(markdown)
      .map((block) => blockHtml(block, html))
      .join('\n'),
  );
}

function plainPage(file, text) {
  const code = `<pre class="code" tabindex="0"><code>${escaped(text)}</code></pre>`;
  return page(file, `<h1>${escaped(file)}</h1>\n${code}`);
}

/** Every page of the runbook beside the console that names it, and what these lead to. */
export function writeRunbookPages(root, to) {
  const pages = servedPages(root);
  for (const [file, address] of pages) {
    const text = readFileSync(join(root, file), 'utf8');
    const html = file.endsWith('.md') ? markdownPage(file, text, pages) : plainPage(file, text);
    const target = join(to, `${address}.html`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, html);
  }
}
