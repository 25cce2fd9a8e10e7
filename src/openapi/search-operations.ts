import { searchExample } from './examples.js';
import { csvSearchResponse } from './file-operations.js';
import { headersOf, optional } from './headers.js';
import type { Operation } from './operation.js';
import { SEARCH_PARAMETER_NAMES } from './parameters.js';
import { jsonResponse } from './responses.js';
import { ref } from './schema-parts.js';

export function searchAssets(base: string): Operation {
  const description =
    'A page of the hits, how many there are, and how far the index had followed the feed; all hits as CSV where Accept puts text/csv above JSON';
  const page = jsonResponse(description, ref('SearchPage'), { examples: { page: searchExample(base) } });
  const { headers, content } = csvSearchResponse();
  return {
    id: 'searchAssets',
    summary: 'Finds listed assets: all that is given must hold. What is not known here is refused',
    parameters: [...SEARCH_PARAMETER_NAMES, 'bom', 'ifNoneMatch'],
    successes: {
      200: {
        ...page,
        headers: {
          ...headers,
          ...optional(['Content-Disposition', 'Feed-Epoch', 'Feed-Offset', 'Link', 'WeakETag']),
        },
        'x-other-content': content,
      },
      304: {
        description: 'Not modified',
        headers: {
          ...headersOf(['WeakETag']),
          ...optional(['Link', 'Content-Disposition', 'Feed-Epoch', 'Feed-Offset', 'Truncated']),
        },
      },
    },
    errors: ['unavailable'],
  };
}

export function showStatistics(): Operation {
  return {
    id: 'showStatistics',
    summary: 'How many assets are listed, by state, type, region, currency, day and month',
    parameters: ['ifNoneMatch'],
    successes: {
      200: jsonResponse('The numbers, as of one moment', ref('StatisticsAnswer'), { headers: ['WeakETag'] }),
      304: { description: 'Not modified', headers: headersOf(['WeakETag']) },
    },
    errors: ['unavailable'],
  };
}
