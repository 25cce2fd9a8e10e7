import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cleanUpAtExit } from '../../scripts/machine/clean-up-at-exit.js';
import type { Outcome, Plan } from './plan.js';
import { runPlan } from './run-plan.js';

/** The word on the command line that makes a process a generator. */
export const GENERATOR = 'generator';

/** Puts a load on a service from so many processes. */
export type PutLoad = (plan: Plan, processes: number) => Promise<Outcome>;

/** Processes that make load; they are kept, so that their code is compiled when it counts. */
export class Generators {
  private readonly children: Generator[] = [];

  /** Each has its share of the connections and of the rate. A copy is one reader's work, so only one process makes it. */
  readonly run: PutLoad = async (plan, processes) => {
    const count = plan.mode.startsWith('copy') ? 1 : Math.min(processes, plan.connections);
    const plans = Array.from({ length: count }, (_, i) => ({
      ...plan,
      connections: Math.floor((plan.connections + i) / count),
      perSecond: plan.perSecond / count,
      seed: plan.seed + i * 1_000_003,
    }));
    return joined(await Promise.all(plans.map((share, i) => this.child(i).run(share))));
  };

  stop(): void {
    for (const child of this.children.splice(0)) child.stop();
  }

  private child(number: number): Generator {
    return (this.children[number] ??= new Generator());
  }
}

class Generator {
  private readonly child = fork(process.argv[1] as string, [GENERATOR], { serialization: 'advanced' });
  private readonly exit = cleanUpAtExit(() => this.child.kill('SIGKILL'));

  async run(plan: Plan): Promise<Outcome> {
    this.child.send(plan);
    const [outcome] = (await once(this.child, 'message')) as [Outcome];
    return outcome;
  }

  stop(): void {
    this.child.kill('SIGKILL');
    this.exit.revoke();
  }
}

/** What a generator process does: for each plan that comes, an outcome goes. */
export function generate(): void {
  process.on('message', (plan: Plan) => void runPlan(plan).then((outcome) => process.send?.(outcome)));
  // Without its parent it has no reason to go on.
  process.once('disconnect', () => process.exit());
}

/** They watched the same processes, so one of them tells of these. */
function joined(outcomes: readonly Outcome[]): Outcome {
  const sum = (value: (outcome: Outcome) => number): number => outcomes.reduce((all, one) => all + value(one), 0);
  const [first] = outcomes as [Outcome];
  return {
    answered: sum(({ answered }) => answered),
    assets: sum(({ assets }) => assets),
    failed: sum(({ failed }) => failed),
    times: Float64Array.from(outcomes.flatMap(({ times }) => Array.from(times))),
    seconds: first.seconds,
    generatorShare: Math.max(...outcomes.map(({ generatorShare }) => generatorShare)),
    generatorCores: sum(({ generatorCores }) => generatorCores),
    usage: first.usage,
  };
}
