/** Tasks one at a time: those that are urgent first, each kind in the order in which it came. */
export class TurnLine {
  private readonly urgent: (() => Promise<void>)[] = [];
  private readonly other: (() => Promise<void>)[] = [];
  private isBusy = false;

  run<T>(task: () => Promise<T>, isUrgent: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      (isUrgent ? this.urgent : this.other).push(() => task().then(resolve, reject));
      void this.work();
    });
  }

  private async work(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    for (;;) {
      const next = this.urgent.shift() ?? this.other.shift();
      if (next === undefined) break;
      await next();
    }
    this.isBusy = false;
  }
}
