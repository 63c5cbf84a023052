import { LentSlots } from './lent-slots';

const classes = [
  { slotBytes: 100, count: 6 },
  { slotBytes: 1_000, count: 2 },
];
const slot = () => ({ memory: new ArrayBuffer(8), release: jest.fn() });

describe('LentSlots', () => {
  it('lends a third of a class, and again what came back, once', () => {
    const slots = new LentSlots(classes);
    const taken = slot();
    const first = slots.lend(100, () => taken)!;
    slots.lend(50, slot);
    expect(slots.lend(1, slot)).toBeUndefined(); // 2 of 6
    first.release();
    first.release();
    expect(taken.release).toHaveBeenCalledTimes(2);
    expect(slots.lend(1, slot)).toBeDefined();
    expect(slots.lend(1, slot)).toBeUndefined();
  });

  it('lends none of a class with fewer than three, nor what no slot holds', () => {
    const slots = new LentSlots(classes);
    expect(slots.lend(101, slot)).toBeUndefined();
    expect(slots.lend(1_001, slot)).toBeUndefined();
  });

  it('doesn’t count what could not be taken', () => {
    const slots = new LentSlots(classes);
    for (let i = 0; i < 5; i += 1) expect(slots.lend(1, () => undefined)).toBeUndefined();
    expect(slots.lend(1, slot)).toBeDefined();
  });
});
