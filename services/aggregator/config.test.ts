import { loadAggregatorConfig } from './config';

test('defaults, and every fault at once', () => {
  expect(loadAggregatorConfig({})).toMatchObject({ httpPort: 8070, closeMarginMs: 150, roundWindow: 2_000 });
  const env = { ROUNDHOUSE_AGGREGATOR_CLOSE_MARGIN_MS: '-1', ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW: 'many' };
  expect(() => loadAggregatorConfig(env)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      faults: [
        expect.objectContaining({ path: 'ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW' }),
        expect.objectContaining({ path: 'ROUNDHOUSE_AGGREGATOR_CLOSE_MARGIN_MS' }),
      ],
    }),
  );
});
