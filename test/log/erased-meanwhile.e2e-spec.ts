import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LogReader } from '../../src/database/readers/log-reader.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { change, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { checkpointOf, readLog } from '../support/log-reader.js';
import { TestRegistry } from '../support/registry.js';

loadServiceHere();

const TEXT = 'what is erased';

describe.each(databases)('a page of the log on $name, while a field is erased', (kind) => {
  afterEach(() => void jest.restoreAllMocks());

  it('has the openings of the states that it shows', async () => {
    const env = { LOG_KEY: newLogKey('registry.example.org/log') };
    await TestRegistry.during(kind, env, async (registry) => {
      const owned = await publish(registry, { title: TEXT });
      await change(registry, owned, { title: 'another' });
      await checkpointOf(registry, 2);
      const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
      const words = ['redact', owned.id, '--field', '/title', '--reason', 'because', '--yes', name];
      // It is asked behind the entries, and before their states.
      const asked = jest.spyOn(LogReader.prototype, 'unlogged').mockImplementationOnce(async () => {
        const given = { DATABASE_URL: registry.databaseUrl, SNAPSHOT_FOLDER: '/nowhere/at/all' };
        expect(await command(words, given)).toMatchObject({ code: 0 });
        return [];
      });
      const states = await readLog(registry);
      expect(states.map(({ asset }) => asset?.['title'])).toEqual(states.map(() => undefined));
      expect(states.slice(0, 2).map(({ opening }) => Object.keys(opening))).toEqual([
        ['secrets', 'erased'],
        ['secrets', 'erased'],
      ]);
      expect(asked).toHaveBeenCalled();
    });
  });
});
