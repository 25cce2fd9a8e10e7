import { growthOf, type Growth } from '../growth/results.js';
import { type Panel, panel } from './panel.js';
import { picture } from './svg.js';

const WIDTH = 800;
const HEIGHT = 680;
const HALF = WIDTH / 2;
const MB = 1_024 * 1_024;
/** What the largest data set may cost, times the first. */
const TARGET = 1.2;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });

/** What a request costs against the number of assets, and what writers and connections do. */
export function growthChart(growth: Growth): string {
  const panels = [sizePanel(growth), writerPanel(growth), latencyPanel(growth), connectionPanel(growth)];
  return picture(WIDTH, HEIGHT, 'What the costs of a request grow with', panels.flatMap(panel));
}

function sizePanel({ sizes }: Growth): Panel {
  const places = [...new Set(sizes.map(({ size }) => size))];
  const works = [...new Set(sizes.map(({ work }) => work))];
  const series = works.map((work) => ({ name: work, values: sizes.filter((row) => row.work === work).map(growthOf) }));
  return {
    title: `Processor time of a request against the number of assets, times that with ${SHORT.format(places[0] ?? 0)} (line: target)`,
    at: { x: 12, y: 12 },
    width: WIDTH - 24,
    height: 290,
    places: places.map((size) => SHORT.format(size)),
    series,
    mark: TARGET,
  };
}

function writerPanel({ writers }: Growth): Panel {
  return {
    title: 'Changes that share a commit, against writers',
    at: { x: 12, y: 320 },
    width: HALF - 24,
    height: 170,
    places: writers.map(({ writers: count }) => String(count)),
    series: [{ name: 'mean', values: writers.map(({ batch }) => batch) }],
  };
}

function latencyPanel({ writers }: Growth): Panel {
  return {
    title: 'Milliseconds of a creation, against writers',
    at: { x: HALF, y: 320 },
    width: HALF - 12,
    height: 170,
    places: writers.map(({ writers: count }) => String(count)),
    series: [
      { name: 'p50', values: writers.map(({ figures }) => figures.p50) },
      { name: 'p99', values: writers.map(({ figures }) => figures.p99) },
    ],
  };
}

function connectionPanel({ connections }: Growth): Panel {
  return {
    title: `Resident MB against idle connections, while ${connections[0]?.active ?? 0} others read`,
    at: { x: 12, y: 500 },
    width: WIDTH - 24,
    height: 170,
    places: connections.map(({ idle }) => SHORT.format(idle)),
    series: [{ name: 'greatest', values: connections.map(({ rss }) => rss / MB) }],
  };
}
