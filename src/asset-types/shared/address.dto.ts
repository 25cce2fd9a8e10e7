import { Text } from '../fields.js';

export class Address {
  @Text({ uk: 'Країна', en: 'Country' }) countryName!: string;
  @Text({ uk: 'Поштовий індекс', en: 'Postal code', optional: true }) postalCode?: string;
  @Text({ uk: 'Область', en: 'Region', optional: true }) region?: string;
  @Text({ uk: 'Вулиця, будинок', en: 'Street address', optional: true }) streetAddress?: string;
  @Text({ uk: 'Населений пункт', en: 'Locality', optional: true }) locality?: string;
}
