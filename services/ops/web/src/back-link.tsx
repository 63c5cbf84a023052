import type { JSX } from 'preact';
import { Icon } from './icons';
import { overviewAddress } from './addresses';

export function BackLink(): JSX.Element {
  return (
    <a class="back" href={overviewAddress} aria-keyshortcuts="Escape">
      <Icon name="back" /> Overview
    </a>
  );
}
