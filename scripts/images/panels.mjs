import * as described from '../ops/panels/index.mjs';

/** Every query of every panel of every dashboard: `dashboard / panel / legend` and its PromQL. */
export function panelQueries() {
  return Object.entries(described).flatMap(([dashboard, { rows }]) =>
    rows
      .flatMap(({ panels }) => panels)
      .flatMap(({ title, queries }) =>
        Object.entries(queries).map(([legend, expr]) => ({
          name: `${dashboard} / ${title} / ${legend}`,
          expr: expr.replaceAll('$__rate_interval', '1m'),
        })),
      ),
  );
}

/** Whether an answer of Prometheus' /api/v1/query has a number in it: Grafana draws nothing otherwise. */
export function hasNumber({ status, data }) {
  return status === 'success' && data.result.some(({ value }) => Number.isFinite(Number(value[1])));
}

/** What has no figures where there is no GPU and no other worker to send to, or where nothing is wrong. */
const onlyElsewhere = /gpu|^engines \/ (Remote shards|Down)|^overview \/ (Outages|Alerts)/i;

/**
 * How many queries a Prometheus had a number for at a second of Unix time, which had none, and which of these should have.
 * `ask` takes paths and resolves to the answers.
 */
export async function answered(ask, at) {
  const queries = panelQueries();
  const paths = queries.map(({ expr }) => `/api/v1/query?time=${at}&query=${encodeURIComponent(expr)}`);
  const answers = await ask(paths);
  const without = queries
    .map(({ name }) => name)
    .filter((_, index) => !hasNumber(JSON.parse(answers[index])));
  return {
    withData: queries.length - without.length,
    without,
    faults: without.filter((name) => !onlyElsewhere.test(name)).map((name) => `${name}: no number`),
  };
}
