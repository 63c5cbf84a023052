import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const runbookFolder = 'docs/runbook';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const pageOf = (file) => (file === 'README.md' ? 'index' : file.replace(/\.md$/, ''));

/** What lies beside the page is a page, too; of other files only the place in the repository is told. */
function link(words, address) {
  if (/^\w+\.md$/.test(address)) return `<a href="/runbook/${pageOf(address)}">${words}</a>`;
  const path = join(runbookFolder, address);
  return words === path ? `<code>${path}</code>` : `${words} <small>(${path})</small>`;
}

/** One line of Markdown as HTML: code, links, emphasis, and the names of other alerts as links. */
function inline(text, pages) {
  const marks = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|_([^_\s][^_]*)_|\bRoundhouse[A-Z]\w*/g;
  return escaped(text).replace(marks, (all, code, words, address, stressed) => {
    if (code !== undefined) return `<code>${code}</code>`;
    if (address !== undefined) return link(words, address);
    if (stressed !== undefined) return `<em>${stressed}</em>`;
    return pages.has(all) ? `<a href="/runbook/${all}">${all}</a>` : all;
  });
}

const cells = (row) =>
  row
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

function table([head, , ...rows], html) {
  const line = (row, cell) =>
    `<tr>${cells(row)
      .map((text) => cell(html(text)))
      .join('')}</tr>`;
  const th = line(head, (text) => (text === '' ? '<td></td>' : `<th scope="col">${text}</th>`));
  return `<table><thead>${th}</thead><tbody>${rows.map((row) => line(row, (text) => `<td>${text}</td>`)).join('\n')}</tbody></table>`;
}

function block(text, html) {
  const lines = text.split('\n');
  const heading = /^(#{1,2}) (.*)$/.exec(text);
  if (heading !== null) return `<h${heading[1].length}>${html(heading[2])}</h${heading[1].length}>`;
  if (text.startsWith('|')) return table(lines, html);
  if (!text.startsWith('- ')) return `<p>${html(lines.join(' '))}</p>`;
  const items = text.slice(2).split(/\n- /);
  return `<ul>${items.map((item) => `<li>${html(item.replace(/\s*\n\s*/g, ' '))}</li>`).join('')}</ul>`;
}

/** A page of the runbook as one of the console; the runbook uses headings, lists, tables and paragraphs. */
export function runbookPage(name, markdown, pages) {
  const html = (text) => inline(text, pages);
  // A page's own name leads nowhere.
  const body = markdown
    .trim()
    .split(/\n{2,}/)
    .map((text) => block(text, (line) => (line === name ? line : html(line))));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${name === 'index' ? 'Runbook' : name}</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/console.css" />
    <script src="/theme.js"></script>
  </head>
  <body>
    <main>
      <article class="panel page runbook-page">
        <nav><a href="/">Console</a> · <a href="/runbook/index">Runbook</a></nav>
${body.join('\n')}
      </article>
    </main>
  </body>
</html>
`;
}

/** Every page of the runbook, beside the console that names it. */
export function writeRunbookPages(root, to) {
  mkdirSync(to, { recursive: true });
  const from = join(root, runbookFolder);
  const files = readdirSync(from).filter((file) => file.endsWith('.md'));
  const pages = new Set(files.map(pageOf));
  for (const file of files) {
    const text = readFileSync(join(from, file), 'utf8');
    writeFileSync(join(to, `${pageOf(file)}.html`), runbookPage(pageOf(file), text, pages));
  }
}
