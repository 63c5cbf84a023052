import { Suspects } from './suspects';

test('turns come one after the other, in order', async () => {
  const suspects = new Suspects();
  const order: string[] = [];
  const take = async (name: string): Promise<void> => {
    const end = await suspects.turn(60_000);
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`${name} ends`);
    end();
  };
  await Promise.all([take('a'), take('b')]);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('who has waited long enough does not wait for the turn of one that never ends', async () => {
  const suspects = new Suspects();
  await suspects.turn(60_000);
  const end = await suspects.turn(20);
  end();
  await (
    await suspects.turn(20)
  )();
});
