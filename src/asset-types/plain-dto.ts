import type { DtoClass } from './fields.js';

const plain = new WeakSet<object>();

/**
 * Declares that a class does not need class-transformer: neither the class nor its parents have decorators of that library, nested objects as
 * defaults, or accessors. The registry then makes instances itself. Subclasses need the decorator as well.
 */
export function PlainDto(): ClassDecorator {
  return (dto) => {
    plain.add(dto);
  };
}

/** class-transformer has no public API to find out whether a class uses its decorators. */
export function isPlainDto(dto: DtoClass): boolean {
  return plain.has(dto);
}
