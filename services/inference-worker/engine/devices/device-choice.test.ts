import {
  deviceKind,
  driverVariables,
  servingGpus,
  visibilityOf,
  wantedDevices,
  type Gpu,
} from './device-choice';

const built = { cudaArchitectures: [90, 120] };
const cpuOnly = { cudaArchitectures: [] };
const h200: Gpu = { name: 'NVIDIA H200', computeCapability: '9.0', memoryBytes: 1 };
const a100: Gpu = { name: 'NVIDIA A100', computeCapability: '8.0', memoryBytes: 1 };
const rtx: Gpu = { name: 'NVIDIA RTX PRO 6000', computeCapability: '12.0', memoryBytes: 1 };

describe('which GPUs are visible', () => {
  it('are those of the machine by default', () => {
    expect(visibilityOf('auto', built, undefined)).toEqual({ visible: null, hidden: '' });
  });

  it('are none for a build that knows only the CPU, with the reason', () => {
    const hidden = 'the backends were built without CUDA';
    expect(visibilityOf('auto', cpuOnly, undefined)).toEqual({ visible: '-1', hidden });
  });

  it('are none where the CPU is asked for', () => {
    expect(visibilityOf('cpu', built, '0,1')).toEqual({ visible: '-1', hidden: 'ROUNDHOUSE_DEVICES is cpu' });
  });

  it('are the named ones, within what the environment leaves', () => {
    expect(visibilityOf(wantedDevices('2,0'), built, undefined).visible).toBe('2,0');
    // 1 of "4,GPU-77" is GPU-77.
    expect(visibilityOf(wantedDevices('1'), built, '4, GPU-77').visible).toBe('GPU-77');
  });

  it.each([
    [[1], built, '4', 'ROUNDHOUSE_DEVICES names GPU 1, but CUDA_VISIBLE_DEVICES leaves 1: "4"'],
    [[0], built, '', 'ROUNDHOUSE_DEVICES names GPU 0, but CUDA_VISIBLE_DEVICES leaves 0: ""'],
    [[3], cpuOnly, undefined, 'ROUNDHOUSE_DEVICES names GPU 3, but the backends were built without CUDA'],
  ])('refuses %j of %j with CUDA_VISIBLE_DEVICES %j', (wanted, build, inherited, message) => {
    expect(() => visibilityOf(wanted, build, inherited)).toThrow(message);
  });

  it('are counted as nvidia-smi counts them, also where they are named, unless somebody else chose', () => {
    const order = ['CUDA_DEVICE_ORDER', 'PCI_BUS_ID'];
    expect(driverVariables({ visible: null, hidden: '' }, undefined)).toEqual([order]);
    expect(driverVariables({ visible: '2,0', hidden: '' }, undefined)).toEqual([
      ['CUDA_VISIBLE_DEVICES', '2,0'],
      order,
    ]);
    expect(driverVariables({ visible: 'GPU-77', hidden: '' }, '4,GPU-77')).toEqual([
      ['CUDA_VISIBLE_DEVICES', 'GPU-77'],
    ]);
    expect(driverVariables({ visible: null, hidden: '' }, '4')).toEqual([]);
  });

  it('refuses a GPU that is named twice', () => {
    expect(() => wantedDevices('0,1,0')).toThrow('ROUNDHOUSE_DEVICES names GPU 0 twice');
  });
});

describe('which GPUs serve', () => {
  it('are those that the code was compiled for, or newer ones', () => {
    expect(servingGpus('auto', built, [h200, a100, rtx])).toEqual([h200, rtx]);
    expect(servingGpus('auto', built, [a100])).toEqual([]);
    expect(servingGpus([0, 1], built, [h200, rtx])).toEqual([h200, rtx]);
  });

  it('refuses a named one that is absent: the driver shows those before it', () => {
    expect(() => servingGpus([0, 5], built, [h200])).toThrow(
      'ROUNDHOUSE_DEVICES names GPU 5, which is absent or refused by its driver',
    );
  });

  it('refuses a named one that is too old, with both numbers', () => {
    expect(() => servingGpus([0, 3], built, [h200, a100])).toThrow(
      'ROUNDHOUSE_DEVICES names GPU 3, NVIDIA A100, of compute capability 8.0; the backends need 9.0',
    );
  });
});

it('names the kind of device by the GPUs, whatever their order', () => {
  expect(deviceKind([])).toBe('cpu');
  expect(deviceKind([h200, h200])).toBe('NVIDIA H200');
  expect(deviceKind([rtx, h200])).toBe('NVIDIA H200 + NVIDIA RTX PRO 6000');
});
