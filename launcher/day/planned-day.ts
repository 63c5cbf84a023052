import { basename, resolve } from 'node:path';
import { ArgumentsInvalid } from '#lib/command-line';
import { cityDay } from '#policy/simulation/city/city-day';
import type { Day, DayResult } from '#policy/simulation/day';
import type { DayRules } from '#policy/simulation/day-metrics';
import { dispatchedDay } from '#policy/simulation/mdrp/dispatched-day';
import { solutionFiles } from '#policy/simulation/mdrp/solution-files';
import { readMdrpFolder } from '../mdrp/read-folder';
import { prepareSolutionFolder, writeSolution } from '../mdrp/write-solution';
import type { StartArguments } from './arguments';

/** A day to run, how it is judged, and what is left behind of it. */
export interface PlannedDay {
  readonly day: Day;
  readonly rules: DayRules;
  readonly title: string;
  /** Writes what the user asked for and says where it is; null where nothing was asked for. */
  save(result: DayResult): Promise<string | null>;
}

const cityRules: DayRules = {
  targetClickToDoor: 40,
  maximumClickToDoor: 90,
  payPerOrder: 10,
  guaranteedPayPerHour: 15,
};

export async function planDay(args: Extract<StartArguments, { kind: 'city' | 'mdrp' }>): Promise<PlannedDay> {
  if (args.kind === 'mdrp') return planMdrpDay(args.folder, args.roundMinutes, args.out, args);
  const day = cityDay({
    seed: args.seed,
    orders: args.orders,
    couriers: args.couriers,
    roundSeconds: args.roundMinutes * 60,
  });
  const title = `city day: ${args.couriers} couriers, ${args.orders} orders, a round every ${args.roundMinutes} min`;
  return { day, rules: cityRules, title, save: () => Promise.resolve(null) };
}

export interface MdrpDayOptions {
  readonly prepositioning?: boolean;
  readonly lateChanges?: boolean;
}

export async function planMdrpDay(
  folder: string,
  roundMinutes: number,
  out: string | null,
  { prepositioning = true, lateChanges = false }: MdrpDayOptions = {},
): Promise<PlannedDay> {
  const instance = await readMdrpFolder(folder);
  if (out !== null) {
    await prepareSolutionFolder(out).catch(({ code }: NodeJS.ErrnoException) => {
      throw new ArgumentsInvalid(`--out ${out}: can't be written (${code})`);
    });
  }
  const name = basename(resolve(folder));
  const { orders, couriers, parameters } = instance;
  return {
    day: dispatchedDay(instance, { name, roundMinutes, prepositioning, lateChanges }),
    rules: parameters,
    title: `MDRP day ${name}: ${couriers.length} couriers, ${orders.length} orders, f = ${roundMinutes} min`,
    save: async (result) => {
      if (out === null) return null;
      await writeSolution(out, solutionFiles(instance, result));
      return `solution files in ${out}`;
    },
  };
}
