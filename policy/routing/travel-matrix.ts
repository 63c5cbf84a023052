import { createHash } from 'node:crypto';
import { vehicles } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';

/** Zone-to-zone seconds by vehicle; docs/travel.md has the file format. */
export interface TravelMatrix {
  readonly contentHash: string;
  readonly zones: number;
  /** By vehicle code, row-major `from · zones + to`; undefined where the matrix has none for the vehicle. */
  readonly secondsByVehicle: readonly (Int32Array | undefined)[];
}

const magic = 'RHTRAVEL';
const version = 1;
const headerBytes = 32;
const layerOfVehicleAt = 20;
const noLayer = 255;
const maxZones = 4_096;
const maxSeconds = 604_800;

const invalid = (reason: string) => new RoundhouseError('PAYLOAD_INVALID', `travel matrix: ${reason}`);

function readHeader(bytes: Buffer): { zones: number; layers: number } {
  if (bytes.length < headerBytes || bytes.toString('latin1', 0, 8) !== magic)
    throw invalid('no RHTRAVEL header');
  const [found, zones, layers] = [8, 12, 16].map((at) => bytes.readUInt32LE(at)) as [number, number, number];
  if (found !== version) throw invalid(`version ${found}, we read ${version}`);
  if (zones < 1 || zones > maxZones) throw invalid(`${zones} zones, not 1..${maxZones}`);
  if (layers < 1 || layers > vehicles.length) throw invalid(`${layers} layers, not 1..${vehicles.length}`);
  const expected = headerBytes + 4 * layers * zones * zones;
  if (bytes.length !== expected) throw invalid(`${bytes.length} bytes, not ${expected}`);
  return { zones, layers };
}

function readLayer(bytes: Buffer, zones: number, layer: number): Int32Array {
  const start = headerBytes + 4 * layer * zones * zones;
  const seconds = Int32Array.from({ length: zones * zones }, (_, i) => bytes.readInt32LE(start + 4 * i));
  if (seconds.some((value) => value < 0 || value > maxSeconds)) {
    throw invalid(`a time outside 0..${maxSeconds}`);
  }
  return seconds;
}

/** Throws PAYLOAD_INVALID with the reason. */
export function decodeTravelMatrix(file: Uint8Array): TravelMatrix {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const { zones, layers } = readHeader(bytes);
  const seconds = Array.from({ length: layers }, (_, layer) => readLayer(bytes, zones, layer));
  const secondsByVehicle = vehicles.map((vehicle, code) => {
    const layer = bytes.readUInt8(layerOfVehicleAt + code);
    if (layer !== noLayer && layer >= layers) throw invalid(`${vehicle} has layer ${layer} of ${layers}`);
    return layer === noLayer ? undefined : seconds[layer];
  });
  return { contentHash: createHash('sha256').update(bytes).digest('hex'), zones, secondsByVehicle };
}

/** `layerOfVehicle` by vehicle code, null for a vehicle without travel; all use layer 0 where it is absent. */
export function encodeTravelMatrix(
  zones: number,
  layers: readonly (readonly number[])[],
  layerOfVehicle: readonly (number | null)[] = vehicles.map(() => 0),
): Buffer {
  const bytes = Buffer.alloc(headerBytes + 4 * layers.length * zones * zones);
  bytes.write(magic, 0, 'latin1');
  [version, zones, layers.length].forEach((value, i) => bytes.writeUInt32LE(value, 8 + 4 * i));
  layerOfVehicle.forEach((layer, code) => bytes.writeUInt8(layer ?? noLayer, layerOfVehicleAt + code));
  layers.flat().forEach((value, i) => bytes.writeInt32LE(value, headerBytes + 4 * i));
  return bytes;
}
