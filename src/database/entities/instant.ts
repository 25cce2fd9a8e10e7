import type { ValueTransformer } from 'typeorm';

/** MySQL's driver hands out BIGINT as text; instants fit a number until the year 2255. */
export const instant: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};
