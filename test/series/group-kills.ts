import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NoServerError } from '../faults/databases.js';
import { type GroupPlan, type GroupReport, runGroupKills } from '../faults/run-group-kills.js';

const RUN_MS = 20 * 60_000;

const SMALL: Omit<GroupPlan, 'database' | 'kills' | 'groups'> = {
  seed: Number(process.env.GROUPS_SEED ?? randomInt(2 ** 31)),
  rivals: 8,
  assets: 120,
  mostOfGroup: 120,
  services: 2,
};

/** The tests of groups that rivals link while services and databases are killed so often: the short form of `test:faults -- groups`. */
export function describeGroupKills(kills: number, groups: number): void {
  const title = `${groups} groups that rivals link under ${kills} kill -9`;
  describe.each(['sqlite', 'mariadb'] as const)(`${title} on %s (GROUPS_SEED=${SMALL.seed})`, (database) => {
    let report: GroupReport | undefined;

    beforeAll(async () => {
      try {
        report = await runGroupKills({ ...SMALL, database, kills, groups });
      } catch (error) {
        if (!(error instanceof NoServerError)) throw error;
        console.warn(`NOT TRIED on ${database}. ${error.message}`);
      }
    }, RUN_MS);

    it('are linked as a whole or not at all, to whoever looks, and none that was acknowledged is lost', () => {
      if (report === undefined) return;
      expect(report.violations).toEqual([]);
      expect(report.counts['groups acknowledged']).toBeGreaterThanOrEqual(groups);
    });
  });
}
