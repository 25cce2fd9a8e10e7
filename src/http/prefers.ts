/**
 * Whether an Accept header names a media type, and puts it above JSON: one that takes anything gets JSON. Source: RFC 9110, 12.5.1.
 * @param mediaType in lower case
 */
export function prefers(mediaType: string, accept = ''): boolean {
  if (accept === '') return false;
  const qualities = new Map(accept.toLowerCase().split(',').map(qualityOf));
  const ofJson = ['application/json', 'application/*', '*/*'].map((range) => qualities.get(range));
  return (qualities.get(mediaType) ?? 0) > (ofJson.find((quality) => quality !== undefined) ?? 0);
}

function qualityOf(element: string): [range: string, quality: number] {
  const [range = '', ...parameters] = element.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [range, quality === undefined ? 1 : Number(quality.slice('q='.length)) || 0];
}
