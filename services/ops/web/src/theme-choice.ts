const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'roundhouse-theme';

export function chosenTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function showTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** A browser that keeps nothing for us shows it until the page is left. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It holds for this page then.
  }
  showTheme(theme);
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length]!;
}
