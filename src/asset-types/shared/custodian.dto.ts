import { Nested, Text, WebUrl } from '../fields.js';
import { Address } from './address.dto.js';

export class Identifier {
  @Text({ uk: 'Схема', en: 'Scheme' }) scheme!: string;
  @Text({ uk: 'Код', en: 'Code' }) id!: string;
  @WebUrl({ uk: 'Посилання', en: 'Link', optional: true }) uri?: string;
}

export class ContactPoint {
  @Text({ uk: 'Імʼя', en: 'Name' }) name!: string;
  @Text({ uk: 'Телефон', en: 'Telephone' }) telephone!: string;
}

/** The organisation that holds the asset. */
export class Custodian {
  @Text({ uk: 'Назва', en: 'Name' }) name!: string;
  @Nested(() => Identifier, { uk: 'Ідентифікатор', en: 'Identifier' }) identifier!: Identifier;
  @Nested(() => Address, { uk: 'Адреса', en: 'Address', optional: true }) address?: Address;
  @Nested(() => ContactPoint, { uk: 'Контактна особа', en: 'Contact point' }) contactPoint!: ContactPoint;
}
