import { Nested, Text, WebUrl } from '../fields.js';
import { Address } from './address.dto.js';

export class Identifier {
  @Text()
  scheme!: string;

  @Text()
  id!: string;

  @WebUrl({ optional: true })
  uri?: string;
}

export class ContactPoint {
  @Text()
  name!: string;

  @Text()
  telephone!: string;
}

/** The organisation that holds the asset. */
export class Custodian {
  @Text()
  name!: string;

  @Nested(() => Identifier)
  identifier!: Identifier;

  @Nested(() => Address, { optional: true })
  address?: Address;

  @Nested(() => ContactPoint)
  contactPoint!: ContactPoint;
}
