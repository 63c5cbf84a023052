/** HTML pages of our own Markdown: headings, paragraphs, lists, tables, code, links, emphasis. Nothing else is used in docs/. */

export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const withoutMarks = (text) => text.replace(/[`*_]|\[([^\]]+)\]\([^)]*\)/g, '$1');

/** As GitHub names headings, so that links into a page hold. */
export const slugOf = (heading) =>
  withoutMarks(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** One line as HTML. `place(words, address)` makes a link, `named(word)` one of an alert's name; both give HTML. */
export function inline(text, { place, named }) {
  const marks =
    /`([^`]+)`|!?\[([^\]]*)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|(?<![\w_])_([^_\s][^_]*)_(?!\w)|\bRoundhouse[A-Z]\w*/g;
  const again = (part) => inline(part, { place, named });
  const html = (all, code, words, address, strong, stressed) => {
    if (code !== undefined) return `<code>${escaped(code)}</code>`;
    if (address !== undefined) return place(again(words), address);
    if (strong !== undefined) return `<strong>${again(strong)}</strong>`;
    if (stressed !== undefined) return `<em>${again(stressed)}</em>`;
    return named(all);
  };
  let [done, from] = ['', 0];
  for (const match of text.matchAll(marks)) {
    done += escaped(text.slice(from, match.index)) + html(...match);
    from = match.index + match[0].length;
  }
  return done + escaped(text.slice(from));
}

const cells = (row) =>
  row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function table([head, , ...rows], html) {
  const line = (row, cell) =>
    `<tr>${cells(row)
      .map((text) => cell(html(text)))
      .join('')}</tr>`;
  const th = line(head, (text) => (text === '' ? '<td></td>' : `<th scope="col">${text}</th>`));
  return `<table><thead>${th}</thead><tbody>${rows.map((row) => line(row, (text) => `<td>${text}</td>`)).join('\n')}</tbody></table>`;
}

const itemStart = /^\s*(?:-|\d+\.) /;
const kindOf = (line) => {
  if (line.startsWith('```')) return 'code';
  if (/^#{1,4} /.test(line)) return 'heading';
  if (line.startsWith('|')) return 'table';
  if (itemStart.test(line)) return 'list';
  return line.trim() === '' ? 'nothing' : 'words';
};

/** Runs of lines that belong together, with what they are. */
export function blocksOf(markdown) {
  const blocks = [];
  let open = null;
  for (const line of markdown.trim().split('\n')) {
    if (open?.kind === 'code') {
      if (line.startsWith('```')) open = null;
      else open.lines.push(line);
      continue;
    }
    const kind = kindOf(line);
    const goesOn = open !== null && (kind === open.kind || (kind === 'words' && open.kind === 'list'));
    if (kind === 'nothing') open = null;
    else if (goesOn && kind !== 'heading') open.lines.push(line);
    else {
      open = { kind, lines: kind === 'code' ? [] : [line] };
      blocks.push(open);
    }
  }
  return blocks;
}

function list(lines, html) {
  const items = [];
  for (const line of lines) {
    if (itemStart.test(line)) items.push(line.replace(itemStart, ''));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const tag = /^\d/.test(lines[0].trim()) ? 'ol' : 'ul';
  return `<${tag}>${items.map((item) => `<li>${html(item)}</li>`).join('')}</${tag}>`;
}

export function blockHtml({ kind, lines }, html) {
  if (kind === 'code')
    return `<pre class="code" tabindex="0"><code>${escaped(lines.join('\n'))}</code></pre>`;
  if (kind === 'table') return `<div class="wide" tabindex="0">${table(lines, html)}</div>`;
  if (kind === 'list') return list(lines, html);
  if (kind === 'words') return `<p>${html(lines.join(' '))}</p>`;
  const [, marks, text] = /^(#{1,4}) (.*)$/.exec(lines[0]);
  const tag = `h${Math.min(3, marks.length)}`;
  return `<${tag} id="${slugOf(text)}">${html(text)}</${tag}>`;
}
