import { getMetadataArgsStorage, type ValueTransformer } from 'typeorm';

/** A row as drivers return it, under the entity's property names: MySQL's returns BIGINT as text. */
export type RowOf<Entity> = {
  [Property in keyof Entity]: number extends Entity[Property] ? Entity[Property] | string : Entity[Property];
};

interface EntityColumn {
  property: string;
  column: string;
  transformer: ValueTransformer | undefined;
}

/** All or some columns of an entity, from its decorators; builds statements and converts rows. */
export class EntityTable<Entity> {
  /** Column names in the order of `toRows`. */
  readonly columns: readonly string[];
  private readonly converted: readonly EntityColumn[];

  private constructor(
    readonly table: string,
    private readonly declared: readonly EntityColumn[],
  ) {
    this.columns = declared.map(({ column }) => column);
    this.converted = declared.filter(({ transformer }) => transformer !== undefined);
  }

  static of<Entity>(entity: new () => Entity): EntityTable<Entity> {
    const { tables, columns } = getMetadataArgsStorage();
    const declared = columns.filter(({ target }) => target === entity);
    return new EntityTable(
      String(tables.find(({ target }) => target === entity)?.name),
      declared.map(({ propertyName, options: { name = propertyName, transformer } }) => ({
        property: propertyName,
        column: name,
        transformer: transformer as ValueTransformer | undefined,
      })),
    );
  }

  /** @param omitted properties to leave out */
  without<Left extends keyof Entity>(...omitted: Left[]): EntityTable<Omit<Entity, Left>> {
    return new EntityTable(
      this.table,
      this.declared.filter(({ property }) => !omitted.includes(property as Left)),
    );
  }

  /** The SELECT list, aliased to property names. @param sqlOf expression that reads a column */
  select(sqlOf = (column: string): string => column): string {
    return this.declared.map(({ property, column }) => `${sqlOf(column)} AS ${property}`).join(', ');
  }

  /** Converts the row in place, because copying would take as long again. */
  toEntity(row: Record<keyof Entity, unknown>): Entity {
    for (const { property, transformer } of this.converted) {
      const name = property as keyof Entity;
      row[name] = transformer?.from(row[name]);
    }
    return row as Entity;
  }

  /** Values in the order of `columns`. */
  toRows(entities: readonly Entity[]): unknown[][] {
    return entities.map((entity) => this.declared.map(({ property }) => entity[property as keyof Entity]));
  }
}

/** For BIGINT columns, which MySQL's driver returns as text: a number represents microseconds since 1970 exactly until the year 2255. */
export const bigint: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};
