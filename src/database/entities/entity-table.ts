import { getMetadataArgsStorage, type ValueTransformer } from 'typeorm';

/** A row as drivers hand it out, under the names of the entity's properties: MySQL's writes BIGINT as text. */
export type RowOf<Entity> = {
  [Property in keyof Entity]: number extends Entity[Property] ? Entity[Property] | string : Entity[Property];
};

interface EntityColumn {
  property: string;
  column: string;
  transformer: ValueTransformer | undefined;
}

/** The columns of an entity, all or some, as its decorators declare them: statements and conversions of rows are made of these. */
export class EntityTable<Entity> {
  /** Names in the order in which rows are written. */
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

  /** @param left properties that are not wanted */
  without<Left extends keyof Entity>(...left: Left[]): EntityTable<Omit<Entity, Left>> {
    return new EntityTable(
      this.table,
      this.declared.filter(({ property }) => !left.includes(property as Left)),
    );
  }

  /** What a SELECT reads, so that its rows have the names of the properties. @param sqlOf how a column is read */
  select(sqlOf = (column: string): string => column): string {
    return this.declared.map(({ property, column }) => `${sqlOf(column)} AS ${property}`).join(', ');
  }

  /** The row itself, with the entity's values in the place of the driver's: nobody else has it, and to copy it would take as long again. */
  toEntity(row: Record<keyof Entity, unknown>): Entity {
    for (const { property, transformer } of this.converted) {
      const name = property as keyof Entity;
      row[name] = transformer?.from(row[name]);
    }
    return row as Entity;
  }

  /** The values of each in the order of the columns. */
  toRows(entities: readonly Entity[]): unknown[][] {
    return entities.map((entity) => this.declared.map(({ property }) => entity[property as keyof Entity]));
  }
}

/** For columns of BIGINT, which MySQL's driver hands out as text: a number keeps microseconds since 1970 exactly until the year 2255. */
export const bigint: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};
