import type { DtoClass } from './fields.js';

const plain = new WeakSet<object>();

/**
 * Promises that class-transformer has nothing to do for a class: neither the class nor its parents have decorators of that library, nested
 * objects as defaults, or accessors. The registry then makes instances itself. A class that extends this one gives its own promise.
 */
export function PlainDto(): ClassDecorator {
  return (dto) => {
    plain.add(dto);
  };
}

/** class-transformer has no public way to tell what its decorators said of a class, so the class says it. */
export function isPlainDto(dto: DtoClass): boolean {
  return plain.has(dto);
}
