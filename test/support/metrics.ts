/** The samples of a Prometheus endpoint, by name and labels: `registry_database_up` or `x{a="b"}`. */
export async function metricsOf(url: string | undefined): Promise<Map<string, number>> {
  const response = await fetch(url as string);
  if (response.status !== 200) throw new Error(`The metrics are answered ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The count of requests with these labels. */
export function requestsOf(metrics: Map<string, number>, method: string, route: string, status: number): number {
  const labels = `method="${method}",route="${route}",status="${status}"`;
  return metrics.get(`registry_http_request_duration_seconds_count{${labels}}`) ?? 0;
}
