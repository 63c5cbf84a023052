import { Lanes } from '#lib/engine-client/lanes';

/** The connections to the engine that is active; another engine has another address. */
export class EngineConnection {
  private address: string | null = null;
  private client: Lanes | null = null;

  constructor(
    private readonly current: () => string | null,
    private readonly maxMessageBytes: number,
  ) {}

  /** null while there is no engine. */
  get(): Lanes | null {
    const address = this.current();
    if (address === this.address) return this.client;
    this.close();
    this.address = address;
    if (address !== null) this.client = new Lanes(address, this.maxMessageBytes);
    return this.client;
  }

  close(): void {
    this.client?.close();
    this.client = null;
    this.address = null;
  }
}
