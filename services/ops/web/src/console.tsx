import { render } from 'preact';
import { App } from './app';
import './console.css';

const root = document.getElementById('console')!;
root.replaceChildren();
render(<App />, root);
