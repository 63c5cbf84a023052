import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scaledRules } from './scaled-rules';

test('windows and waits are shorter; names and thresholds stay', () => {
  const rules = `      - alert: A
        expr: sum(increase(x_total[5m])) > 5 and y:rate5m > 0.05
        for: 30s
      - alert: B
        expr: deriv(z[2h]) > 30000
        for: 2m
      - alert: C
        expr: rate(w[30s]) > 1
`;
  // By 20: 300 s are 15 s, 30 s 1.5 s, 7,200 s 360 s, 120 s 6 s; 30 s would be 1.5 s, too short for two scrapes.
  expect(scaledRules(rules, 20)).toBe(`      - alert: A
        expr: sum(increase(x_total[15000ms])) > 5 and y:rate5m > 0.05
        for: 1500ms
      - alert: B
        expr: deriv(z[360000ms]) > 30000
        for: 6000ms
      - alert: C
        expr: rate(w[3000ms]) > 1
`);
});

test('no time is left as it was in the rules of ops/', () => {
  const folder = join(__dirname, '..', '..', '..', 'ops', 'prometheus', 'rules');
  for (const name of readdirSync(folder)) {
    const text = scaledRules(readFileSync(join(folder, name), 'utf8'), 20);
    expect(text.match(/\[\d+[smhd]\]|for: *\d+[smhd]\s*$/gm)).toBeNull();
  }
});
