import { useEffect } from 'preact/hooks';
import { overviewAddress } from './addresses';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** `/` finds a round, `t` changes the theme, `?` tells the keys, Escape goes back to the overview. */
export function useKeys(showKeys: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
        return;
      if (key === 'Escape') {
        if (target instanceof HTMLElement) target.blur();
        if (!isTyping(target) && location.hash !== '') location.hash = overviewAddress;
      }
      if (isTyping(target)) return;
      const act = { '/': focusSearch, t: () => document.getElementById('theme')?.click(), '?': showKeys }[
        key
      ];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [showKeys]);
}

function focusSearch(): void {
  document.getElementById('search')?.focus();
}
