#!/usr/bin/env node
import { runBuilt } from './run-built.mjs';

/** `npm start [-- ARGUMENTS]`: sets up what is missing, then runs the launcher. */
await runBuilt('dist/launcher/main.js', process.argv.slice(2));
