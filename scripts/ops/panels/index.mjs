/** What the dashboards show: rows of panels, each with PromQL by legend. `unit` is Grafana's. */
export { dependencies } from './dependencies.mjs';
export { engines } from './engines.mjs';
export { overview } from './overview.mjs';
export { rounds } from './rounds.mjs';
