import { chosenTheme, showTheme } from './theme-choice';

// Runs before anything is painted, so that no other theme is seen first.
showTheme(chosenTheme());
