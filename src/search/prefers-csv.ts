/** Whether an Accept header names CSV, and puts it above JSON: one that takes anything gets JSON. Source: RFC 9110, 12.5.1. */
export function prefersCsv(accept = ''): boolean {
  const qualities = new Map(accept.toLowerCase().split(',').map(qualityOf));
  const ofJson = ['application/json', 'application/*', '*/*'].map((range) => qualities.get(range));
  return (qualities.get('text/csv') ?? 0) > (ofJson.find((quality) => quality !== undefined) ?? 0);
}

function qualityOf(element: string): [range: string, quality: number] {
  const [range = '', ...parameters] = element.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [range, quality === undefined ? 1 : Number(quality.slice('q='.length)) || 0];
}
