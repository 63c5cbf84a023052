/** PromQL that panels have in common. */
export const rate = (name, by, more = '') => `sum by (${by}) (rate(${name}${more}[$__rate_interval]))`;
export const quantile = (q, name, by = '') =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${name}_bucket[$__rate_interval])))`;
export const quantiles = (name) => ({
  p50: quantile(0.5, name),
  p90: quantile(0.9, name),
  p99: quantile(0.99, name),
});
