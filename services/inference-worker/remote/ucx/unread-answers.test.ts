import { UnreadAnswers } from './unread-answers';

function answer(bytes: number) {
  const release = jest.fn();
  const data = Buffer.alloc(bytes, 7);
  const outputs = [{ name: 'OUT', datatype: 'UINT8' as const, shape: [bytes], data }];
  return { response: { model: 'm', version: '1', outputs, release }, data, release };
}

describe('UnreadAnswers', () => {
  it('keep their slot until they are read', () => {
    const unread = new UnreadAnswers(100);
    const { response, data, release } = answer(60);
    const entered = unread.enter(response);
    expect(entered.data[0]).toBe(data);
    expect(release).not.toHaveBeenCalled();
    expect(unread.bytes).toBe(60);
    entered.leave();
    expect(release).toHaveBeenCalledTimes(1);
    expect(unread.bytes).toBe(0);
  });

  it('are copied where slots for too many bytes are kept', () => {
    const unread = new UnreadAnswers(100);
    const first = unread.enter(answer(60).response);
    const { response, data, release } = answer(50);
    const second = unread.enter(response);
    expect(release).toHaveBeenCalledTimes(1);
    expect(second.data[0]).not.toBe(data);
    expect(Buffer.compare(second.data[0]!, data)).toBe(0);
    expect(unread.bytes).toBe(110);
    first.leave();
    second.leave();
    expect(unread.bytes).toBe(0);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it('that are the caller’s own anyway are neither copied nor released', () => {
    const unread = new UnreadAnswers(0);
    const { response, data } = answer(50);
    const { release: _release, ...own } = response;
    expect(unread.enter(own).data[0]).toBe(data);
  });
});
