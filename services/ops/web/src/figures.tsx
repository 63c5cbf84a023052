import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Snapshot } from '../../console/messages';
import { FigureDialog } from './figure-dialog';
import { figureSpecs, type FigureSpec, type SeriesSpec } from './figure-specs';
import { text } from './format';
import { Icon } from './icons';
import { Sparkline } from './sparkline';

interface Values {
  readonly view: Snapshot | null;
}

function valueOf({ view }: Values, { id }: SeriesSpec): number | null {
  return view?.figures[id] ?? null;
}

function verdictOf(values: Values, { series }: FigureSpec): 'warn' | 'bad' | null {
  const verdicts = series.map((one) => {
    const value = valueOf(values, one);
    return value === null ? null : (one.judge?.(value) ?? null);
  });
  return (
    verdicts.find((verdict) => verdict === 'bad') ?? verdicts.find((verdict) => verdict !== null) ?? null
  );
}

function FirstValue({ spec, ...values }: Values & { spec: SeriesSpec }): JSX.Element {
  const { value, unit } = spec.show(valueOf(values, spec));
  return (
    <span class="figure-value">
      <span class="number">{value}</span>
      <span class="unit">{unit}</span>
      {spec.name !== '' && <span class="series-name"> {spec.name}</span>}
    </span>
  );
}

function FurtherValue({ spec, ...values }: Values & { spec: SeriesSpec }): JSX.Element {
  return (
    <span class="figure-further">
      {text(spec.show(valueOf(values, spec)))} <span class="series-name">{spec.name}</span>
    </span>
  );
}

const verdictWords = { warn: 'worth a look', bad: 'bad' } as const;

function FigureCard({ spec, onOpen, view }: Values & { spec: FigureSpec; onOpen(): void }): JSX.Element {
  const verdict = verdictOf({ view }, spec);
  const lines = spec.series.map(({ id, floor }) => ({ floor, values: view?.history.figures[id] ?? [] }));
  const [first, ...further] = spec.series;
  return (
    <li>
      <button type="button" class={`figure ${verdict ?? ''}`} onClick={onOpen}>
        <span class="figure-title">
          {spec.title}
          {verdict !== null && <Icon name={verdict} />}
          {verdict !== null && <span class="hidden"> ({verdictWords[verdict]})</span>}
        </span>
        <span class="figure-values">
          <FirstValue spec={first} view={view} />
          {further.map((one) => (
            <FurtherValue key={one.id} spec={one} view={view} />
          ))}
        </span>
        <Sparkline lines={lines} />
      </button>
    </li>
  );
}

/** The twelve headline figures; each opens its chart. */
export function Figures({ view }: Values): JSX.Element {
  const [opened, setOpened] = useState<FigureSpec | null>(null);
  return (
    <section aria-labelledby="figures-title">
      <h2 id="figures-title">
        Headline figures <small>last minute, five minutes drawn</small>
      </h2>
      <ul class="figures">
        {figureSpecs.map((spec) => (
          <FigureCard key={spec.title} spec={spec} view={view} onOpen={() => setOpened(spec)} />
        ))}
      </ul>
      {opened !== null && view !== null && (
        <FigureDialog spec={opened} view={view} onClose={() => setOpened(null)} />
      )}
    </section>
  );
}
