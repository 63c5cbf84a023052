import type { BusMessage } from '#lib/bus/port';
import {
  decisionsCodec,
  observationsCodec,
  outcomesCodec,
  roundsCodec,
  shardsCodec,
  type Codec,
} from '#schemas/codec';
import { shownText } from '#schemas/shown-text';
import { headers as headerNames } from '#schemas/topics';

const previewBytes = 48;
const longestValue = 600;

/** By the end of the topic's name, whatever its prefix. */
const codecs: readonly (readonly [string, Codec<unknown>])[] = [
  ['dispatch.rounds', roundsCodec as Codec<unknown>],
  ['dispatch.shards', shardsCodec as Codec<unknown>],
  ['dispatch.outcomes', outcomesCodec as Codec<unknown>],
  ['dispatch.decisions', decisionsCodec as Codec<unknown>],
  ['dispatch.observations', observationsCodec as Codec<unknown>],
];

function readableField(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value;
}

/** Bytes become their size: a tensor is nothing to read. Buffers would otherwise list every byte. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`;
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutBytes(field)]));
}

function cut(text: string): string {
  const size = text.length > longestValue ? ` (${text.length} characters)` : '';
  return `${shownText(text, longestValue)}${size}`;
}

function hexPreview(bytes: Buffer): string {
  const more = bytes.length > previewBytes ? '…' : '';
  return `${bytes.length} bytes, not readable: ${bytes.subarray(0, previewBytes).toString('hex')}${more}`;
}

function valueText(topic: string, value: Buffer | null): string {
  if (value === null) return 'no value';
  const codec = codecs.find(([name]) => topic.endsWith(name))?.[1];
  try {
    if (codec === undefined) return hexPreview(value);
    return cut(JSON.stringify(withoutBytes(codec.decode(value)), readableField));
  } catch {
    return hexPreview(value);
  }
}

/** Printable, and parts of a compound key set apart. */
function keyText(key: Buffer | null): string {
  if (key === null) return 'none';
  const text = key.toString('utf8');
  const printable = !text.includes('\ufffd') && !/[\u0000-\u001e\u007f]/.test(text);
  return printable ? text.split('\u001f').join(' / ') : `hex ${key.toString('hex')}`;
}

/** Text of others may hold control characters that would act on the terminal. */
function harmless(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?');
}

/** One dead letter in four lines. */
export function deadLetterText(message: BusMessage): string {
  const { headers } = message;
  const topic = headers[headerNames.deadLetterTopic] ?? 'unknown topic';
  const partition = headers[headerNames.deadLetterPartition] ?? '?';
  const offset = headers[headerNames.deadLetterOffset] ?? '?';
  const code = headers[headerNames.deadLetterCode] ?? 'no code';
  const lines = [
    `${new Date(message.timestamp).toISOString()}  ${code}  ${topic} [${partition}] @${offset}`,
    `  reason: ${headers[headerNames.deadLetterReason] ?? 'none given'}`,
    `  key:    ${keyText(message.key)}`,
    `  value:  ${valueText(topic, message.value)}`,
  ];
  return lines.map(harmless).join('\n');
}
