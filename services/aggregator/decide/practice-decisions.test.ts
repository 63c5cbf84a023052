import { TravelMatrices } from '#lib/travel-matrices';
import { practiceDecisions } from './practice-decisions';

test('a practice round is decided from all its plans', () => {
  for (const decision of practiceDecisions({ matrices: new TravelMatrices('no such folder') })) {
    if (decision === null) continue;
    const { content, bytes } = decision;
    expect(content.coverage).toBe(1);
    expect(content.assignments.length).toBeGreaterThan(200);
    expect(bytes.byteLength).toBeGreaterThan(10_000);
    return;
  }
  throw new Error('nothing was decided');
});
