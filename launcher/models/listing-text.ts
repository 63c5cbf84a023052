import { percent } from './label-change';
import { servingFault, type VersionRow } from './repository-state';

const short = (hash: string | null) => (hash === null ? '-' : hash.slice(0, 12));

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** A version a line, why it doesn't serve behind it. */
export function listingText(rows: readonly VersionRow[], canaryShare: number): string {
  const engines = new Set(rows.map(({ engine }) => engine));
  const head = [
    'MODEL',
    'VERSION',
    'STATE',
    'LABELS',
    'CONTENT',
    ...(engines.size > 1 ? ['ENGINE'] : []),
    'REASON',
  ];
  const cells = rows.map((row) => {
    const labels = row.labels.map((label) =>
      label === 'canary' ? `canary (${percent(canaryShare)})` : label,
    );
    const reason = row.state === 'READY' ? (servingFault(row) ?? '') : row.reason;
    const engine = engines.size > 1 ? [row.engine] : [];
    const version = row.version || '-';
    return [
      row.model,
      version,
      row.state,
      labels.join(', ') || '-',
      short(row.contentHash),
      ...engine,
      reason,
    ];
  });
  return table([head, ...cells]).join('\n');
}
