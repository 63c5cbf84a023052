import type { JSX } from 'preact';

const shapes = {
  ok: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm3.2 4.9-3.7 4.4a.8.8 0 0 1-1.2 0L4.7 9.2l1.1-1 1.1 1.1 3.2-3.8 1.1.9Z',
  warn: 'M8.9 2.1a1 1 0 0 0-1.8 0L1.3 12.9a1 1 0 0 0 .9 1.5h11.6a1 1 0 0 0 .9-1.5L8.9 2.1ZM7.2 6h1.6v4.2H7.2V6Zm0 5.2h1.6v1.6H7.2v-1.6Z',
  bad: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3l3.8-3.8Zm1.9 3v4.6h1.6V4.5H7.2Zm0 5.8v1.6h1.6v-1.6H7.2Z',
  wait: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm-.8 1.7h1.5v3.1l2.2 1.3-.8 1.3-2.9-1.8V4.7Z',
  search: 'M7 2a5 5 0 1 0 3 9l3 3 1-1-3-3a5 5 0 0 0-4-8Zm0 1.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
  auto: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 3v10A5 5 0 0 1 8 3Z',
  light:
    'M8 4.8a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4ZM7.3.8h1.4v2.4H7.3V.8Zm0 12h1.4v2.4H7.3v-2.4ZM.8 7.3h2.4v1.4H.8V7.3Zm12 0h2.4v1.4h-2.4V7.3ZM2.4 3.4l1-1 1.7 1.7-1 1-1.7-1.7Zm8.5 8.5 1-1 1.7 1.7-1 1-1.7-1.7Zm-8.5.7 1.7-1.7 1 1-1.7 1.7-1-1Zm8.5-8.5 1.7-1.7 1 1-1.7 1.7-1-1Z',
  dark: 'M6.3 1.8a6.3 6.3 0 1 0 7.9 7.9A5.2 5.2 0 0 1 6.3 1.8Z',
  back: 'M7.2 3 2.2 8l5 5 1-1-3.3-3.3H14V7.3H4.9L8.2 4l-1-1Z',
} as const;
export type IconName = keyof typeof shapes;

/** Beside words that say the same, so it is hidden from readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path fill="currentColor" fill-rule="evenodd" d={shapes[name]} />
    </svg>
  );
}

/** A turntable with its tracks. */
export function Mark(): JSX.Element {
  const spokes = [0, 45, 90, 135, 180, 225, 270, 315];
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="5" />
      {spokes.map((turn) => (
        <path key={turn} d="M16 4v6" transform={`rotate(${turn} 16 16)`} />
      ))}
    </svg>
  );
}
