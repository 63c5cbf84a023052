import type { InferRequest, InferResponse } from '#lib/engine-client/port';
import { RoundhouseError } from '#schemas/errors';
import { partsOf, placesOf, tensorsOver } from './frame-data';
import {
  describeAnswer,
  describeFailure,
  describeRequest,
  readAnswer,
  readFailure,
  readRequest,
} from './frame-descriptions';
import { decodeHeader, encodeHeader, FrameError, frameKinds } from './frame-header';

const key = Buffer.from('0123456789abcdef');

const request: InferRequest = {
  model: 'candidate_cost',
  version: '3',
  requestId: 'round/7',
  size: 500,
  parameters: { priority: 2, name: 'x', share: 0.5 },
  inputs: [
    { name: 'rows', datatype: 'INT32', shape: [1, 3], data: Buffer.from('abcdefghijkl') },
    { name: 'none', datatype: 'INT32', shape: [1, 0], data: Buffer.alloc(0) },
    { name: 'flags', datatype: 'UINT8', shape: [1, 5], data: Buffer.from('12345') },
  ],
};

const gathered = (data: readonly Uint8Array[]): Buffer => Buffer.concat(partsOf(data));

describe('headers', () => {
  it('come back as they went', () => {
    const header = encodeHeader(key, frameKinds.infer, 2 ** 40, Buffer.from('what'), 12.5);
    expect(header.subarray(0, 16)).toEqual(key);
    expect(decodeHeader(header)).toEqual({
      kind: frameKinds.infer,
      id: 2 ** 40,
      remainingMs: 12.5,
      description: Buffer.from('what'),
    });
  });

  it.each([
    ['cut short', (header: Buffer) => header.subarray(0, 39)],
    ['without its whole description', (header: Buffer) => header.subarray(0, header.length - 1)],
    ['with more than its description', (header: Buffer) => Buffer.concat([header, Buffer.alloc(1)])],
    ['with a negative id', (header: Buffer) => (header.writeDoubleLE(-1, 24), header)],
    ['with an id that is no number', (header: Buffer) => (header.writeDoubleLE(NaN, 24), header)],
  ])('are refused %s', (_, change) => {
    const header = encodeHeader(key, frameKinds.infer, 1, Buffer.from('what'));
    expect(() => decodeHeader(change(header))).toThrow(FrameError);
  });
});

describe('data', () => {
  it('lie aligned, with zeros between them', () => {
    // 12 bytes at 0, none, 5 bytes at the next multiple of 64.
    expect(placesOf([12, 0, 5])).toEqual({ offsets: [0, 12, 64], bytes: 69 });
    const data = gathered(request.inputs.map((input) => input.data));
    expect(data).toHaveLength(69);
    expect(data.subarray(12, 64)).toEqual(Buffer.alloc(52));
  });

  it('of one tensor are the tensor itself', () => {
    const data = Buffer.from('abc');
    expect(partsOf([Buffer.alloc(0), data])).toEqual([data]);
    expect(partsOf([data])[0]).toBe(data);
  });
});

describe('requests', () => {
  it('come back as they went', () => {
    const data = gathered(request.inputs.map((input) => input.data));
    const read = readRequest(describeRequest(request), data.length);
    expect(read).toMatchObject({ model: 'candidate_cost', version: '3', requestId: 'round/7', size: 500 });
    expect(read.parameters).toEqual(['priority', 2n, 'name', 'x', 'share', 0.5]);
    expect(tensorsOver(data, read)).toEqual(request.inputs);
  });

  it('are refused with more or fewer data than described', () => {
    const description = describeRequest(request);
    expect(() => readRequest(description, 68)).toThrow('68 bytes of data, 69 described');
    expect(() => readRequest(description, 70)).toThrow(FrameError);
  });

  it.each([
    ['no list', Buffer.alloc(3)],
    ['a list longer than the description', Buffer.from([255, 255, 0, 0])],
    ['a count that nobody has', Buffer.from([255, 255, 255, 255])],
    ['bytes that are no message', Buffer.concat([Buffer.alloc(12), Buffer.from([0xff, 0xff, 0xff])])],
    ['no size', Buffer.alloc(11)],
  ])('are refused with %s', (_, description) => {
    expect(() => readRequest(description, 0)).toThrow(FrameError);
  });

  it('are refused with a length that is none, or another number of them', () => {
    const description = Buffer.from(describeRequest(request));
    description.writeDoubleLE(-12, 4);
    expect(() => readRequest(description, 69)).toThrow('a length that is none');
    const other = Buffer.concat([Buffer.alloc(4), describeRequest(request).subarray(4 + 24)]);
    expect(() => readRequest(other, 0)).toThrow('0 lengths for 3 tensors');
  });

  it('survive any changed byte', () => {
    const description = describeRequest(request);
    for (let i = 0; i < description.length; i += 1) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const changed = Buffer.from(description);
        changed[i] = value;
        try {
          readRequest(changed, 69);
        } catch (error) {
          expect(error instanceof FrameError || error instanceof RoundhouseError).toBe(true);
        }
      }
    }
  });
});

describe('answers', () => {
  const response: InferResponse = {
    model: 'candidate_cost',
    version: '3',
    outputs: [{ name: 'plans', datatype: 'UINT8', shape: [1, 5], data: Buffer.from('plans') }],
  };
  const notes = { deviceKind: 'gpu', load: { waiting: 2 } };

  it('come back as they went, with their notes', () => {
    const read = readAnswer(describeAnswer(response, notes), 5);
    expect(read).toMatchObject({ model: 'candidate_cost', version: '3', notes });
    expect(tensorsOver(Buffer.from('plans'), read)).toEqual(response.outputs);
  });

  it('have no notes of another kind', () => {
    const odd = { deviceKind: 7, load: 1, thereMs: '2' } as unknown as typeof notes;
    expect(readAnswer(describeAnswer(response, odd), 5).notes).toEqual({ deviceKind: '', load: 1 });
  });

  it('are refused with notes that are cut short or no object', () => {
    const description = Buffer.from(describeAnswer(response, notes));
    description.writeUInt32LE(2 ** 31, 4 + 8);
    expect(() => readAnswer(description, 5)).toThrow('notes that are cut short');
    description.writeUInt32LE(0, 4 + 8);
    expect(() => readAnswer(description, 5)).toThrow('no JSON object');
  });
});

describe('failures', () => {
  it('come back as they went', () => {
    const error = new RoundhouseError('ENGINE_BUSY', 'full', [], { remainingMs: 12 });
    const failure = readFailure(describeFailure(error, 'late', { waiting: 1 }));
    expect(failure).toEqual({
      code: 'ENGINE_BUSY',
      refusal: 'late',
      message: 'full',
      remainingMs: 12,
      load: { waiting: 1 },
    });
  });

  it('keep their words short', () => {
    const error = new RoundhouseError('MODEL_FAILED', 'x'.repeat(5_000));
    expect(readFailure(describeFailure(error, null, null)).message).toHaveLength(1_000);
  });

  it('say less where the header has no room for it', () => {
    // 1,000 letters of six bytes each in JSON, more than the 4,096 there are.
    const error = new RoundhouseError('MODEL_FAILED', '\u0001'.repeat(1_000));
    const description = describeFailure(error, 'unfit', { waiting: 1 }, 4_096);
    expect(description.length).toBeLessThan(1_000);
    expect(readFailure(description)).toMatchObject({
      code: 'MODEL_FAILED',
      refusal: 'unfit',
      load: undefined,
    });
  });

  it.each(['', '1', 'null', '{}', '{"code":1,"message":"x"}'])('are refused as %j', (text) => {
    expect(() => readFailure(Buffer.from(text))).toThrow(FrameError);
  });
});
