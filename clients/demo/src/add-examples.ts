import { DemoClient, DemoError } from './demo-client.js';
import type { Progress } from './progress.js';
import { makeStories, type Story } from './stories.js';
import { inTurn } from './turns.js';

interface CreatedAsset {
  access: { token: string };
  data: { id: string };
}

/** What helps where only some were added: they are not added to those that are there. */
export const BEGIN_AGAIN = 'For all of them, begin again with an empty database';

/**
 * Fills an empty registry with examples, by its own API.
 * @param url where it listens, without a trailing slash
 * @returns how many assets were created
 * @throws DemoError that says what was done, when it cannot be gone through with
 */
export async function addExamples(url: string, progress?: Progress): Promise<number> {
  const client = new DemoClient(url);
  const stories = makeStories();
  const turns = inTurn(stories);
  const created = new Map<number, CreatedAsset>();
  progress?.begin('Examples', turns.length);
  let done = 0;
  try {
    // One after the other, so that the same examples get the same numbers every time.
    for (const { story, change } of turns) {
      const told = stories[story] as Story;
      if (change < 0) created.set(story, await create(client, told));
      else await carryOn(client, told, change, created.get(story) as CreatedAsset);
      progress?.reach(++done);
    }
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    const told = `Only ${created.size} of ${stories.length} examples were added, as ${error.message}`;
    throw new DemoError(`${told}\n${BEGIN_AGAIN}`, { cause: error });
  } finally {
    progress?.end();
  }
  return created.size;
}

async function create(client: DemoClient, { broker, created }: Story): Promise<CreatedAsset> {
  return JSON.parse(await client.send('POST', '', broker, { data: created })) as CreatedAsset;
}

async function carryOn(
  client: DemoClient,
  { broker, changes }: Story,
  change: number,
  asset: CreatedAsset,
): Promise<void> {
  const { by, data } = changes[change] as Story['changes'][number];
  const path = `/${asset.data.id}`;
  if (by === 'owner') await client.send('PATCH', path, broker, { access: asset.access, data });
  else await client.send('PATCH', path, 'concierge', { data });
}
