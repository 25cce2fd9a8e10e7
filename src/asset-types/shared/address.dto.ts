import { Text } from '../fields.js';

export class Address {
  @Text()
  countryName!: string;

  @Text({ optional: true })
  postalCode?: string;

  @Text({ optional: true })
  region?: string;

  @Text({ optional: true })
  streetAddress?: string;

  @Text({ optional: true })
  locality?: string;
}
