const most = 2_000;

/** What answers say that mostly are as they were the time before: the same text is read once, and is the same value then. */
export class LastReadings {
  private readonly last = new Map<string, { readonly text: string; readonly value: unknown }>();

  /** `read` must be the same for the same URL. Throws as it does. */
  of<T>(url: string, text: string, read: (text: string) => T): T {
    const known = this.last.get(url);
    if (known?.text === text) return known.value as T;
    const value = read(text);
    if (this.last.size >= most) this.last.clear();
    this.last.set(url, { text, value });
    return value;
  }
}
