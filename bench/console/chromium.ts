import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** A browser of this machine (`apt-get install chromium`); null where there is none. */
export function chromiumProgram(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
  return found ?? null;
}

/** As root, and in most containers, its own sandbox can't be had; it only opens our page. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumProgram()!, args: ['--no-sandbox'] });
}
