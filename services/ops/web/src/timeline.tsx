import type { JSX } from 'preact';
import type { RoundDetail } from '../../console/messages';
import { duration, text } from './format';
import { niceTicks } from './scale';
import { timelineRows, type Piece, type Row, type TimelineRows } from './timeline-rows';

const left = 110;
const width = 1_000;
const above = 30;

/** What a timeline's rows are drawn by. */
interface Frame {
  readonly rows: TimelineRows;
  readonly shardHeight: number;
}

function xOf({ begin, end }: TimelineRows, at: number): number {
  return left + (width * (Math.min(end, Math.max(begin, at)) - begin)) / (end - begin);
}

function PieceBar({
  piece,
  rows,
  y,
  height,
}: {
  piece: Piece;
  rows: TimelineRows;
  y: number;
  height: number;
}): JSX.Element {
  const x = xOf(rows, piece.from);
  const wide = Math.max(0.8, xOf(rows, piece.to) - x);
  const fits = piece.label !== undefined && wide > piece.label.length * 7 + 8;
  return (
    <g>
      <rect
        class={`piece ${piece.kind}`}
        x={x}
        y={y}
        width={wide}
        height={height}
        rx={Math.min(3, height / 3)}
      >
        <title>{piece.words}</title>
      </rect>
      {fits && (
        <text class="piece-label" x={x + wide / 2} y={y + height / 2 + 4}>
          {piece.label}
        </text>
      )}
    </g>
  );
}

interface BandProps extends Frame {
  readonly row: Row;
  readonly y: number;
  readonly height: number;
  readonly isTitled: boolean;
}

function Band({ row, rows, y, height, isTitled }: BandProps): JSX.Element {
  return (
    <g>
      {isTitled && (
        <text class="axis end" x={left - 12} y={y + height / 2 + 4}>
          {row.title}
        </text>
      )}
      {row.pieces.map((piece, index) => (
        <PieceBar key={index} piece={piece} rows={rows} y={y} height={height} />
      ))}
    </g>
  );
}

function Axis({ rows, height }: { rows: TimelineRows; height: number }): JSX.Element {
  const ticks = niceTicks((rows.end - rows.begin) / 1_000, 8).filter(
    (tick) => rows.begin + tick * 1_000 <= rows.end,
  );
  return (
    <g>
      {ticks.map((tick) => {
        const x = xOf(rows, rows.begin + tick * 1_000);
        return (
          <g key={tick}>
            <path class="grid" d={`M${x} ${above - 6}V${height}`} />
            <text class="axis middle" x={x} y={above - 12}>
              {text(duration(tick))}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function DeadlineMark({
  rows,
  deadline,
  height,
}: {
  rows: TimelineRows;
  deadline: number;
  height: number;
}): JSX.Element {
  const isBeyond = deadline > rows.end;
  const x = isBeyond ? left + width : xOf(rows, deadline);
  const words = isBeyond ? `deadline at ${text(duration((deadline - rows.begin) / 1_000))} →` : 'deadline';
  return (
    <g>
      {!isBeyond && <path class="deadline-line" d={`M${x} ${above - 6}V${height}`} />}
      <text class="axis end deadline-word" x={isBeyond ? x : x - 6} y={height + 18}>
        {words}
      </text>
    </g>
  );
}

function shardHeightOf(count: number): number {
  if (count <= 16) return 18;
  return count <= 48 ? 10 : 5;
}

/** A round's way over time: what ingest did, every shard, what the aggregator did. The table below says the same. */
export function Timeline({
  detail,
  now,
}: {
  readonly detail: RoundDetail;
  readonly now: number;
}): JSX.Element {
  const rows = timelineRows(detail, now);
  const shardHeight = shardHeightOf(rows.shards.length);
  const step = shardHeight + (shardHeight > 8 ? 4 : 1);
  const shardsAt = above + 34;
  const aggregatorAt = shardsAt + rows.shards.length * step + 8;
  const height = aggregatorAt + 30;
  const frame = { rows, shardHeight };
  return (
    <svg
      class="timeline"
      viewBox={`0 0 ${left + width + 10} ${height + 26}`}
      role="img"
      aria-label="The round's way over time; the table below has the times"
    >
      <Axis rows={rows} height={height} />
      <Band {...frame} row={rows.ingest} y={above} height={24} isTitled />
      {rows.shards.map((row, index) => (
        <Band
          key={row.title}
          {...frame}
          row={row}
          y={shardsAt + index * step}
          height={shardHeight}
          isTitled={shardHeight >= 18 || index === 0 || index === rows.shards.length - 1}
        />
      ))}
      <Band {...frame} row={rows.aggregator} y={aggregatorAt} height={24} isTitled />
      <DeadlineMark rows={rows} deadline={detail.round.deadline} height={height} />
    </svg>
  );
}
