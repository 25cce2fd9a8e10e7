import { Amount, Currency, Flag, ItemId, LongText, Nested, Text, WebUrl } from '../fields.js';
import { PlainDto } from '../plain-dto.js';

/** The base of all members of lists. */
@PlainDto()
export abstract class Item {
  @ItemId({ uk: 'Ідентифікатор', en: 'Id' }) id?: string;
}

@PlainDto()
export class Unit {
  @Text({ uk: 'Код', en: 'Code' }) code!: string;
  @Text({ uk: 'Назва', en: 'Name' }) name!: string;
}

@PlainDto()
export class Value {
  @Currency({ uk: 'Валюта', en: 'Currency' }) currency!: string;
  @Amount({ uk: 'Сума', en: 'Amount' }) amount!: number;
  @Flag({ uk: 'З урахуванням ПДВ', en: 'VAT included' }) valueAddedTaxIncluded = true;
}

@PlainDto()
export class Classification {
  @Text({ uk: 'Схема', en: 'Scheme' }) scheme!: string;
  @Text({ uk: 'Код', en: 'Code' }) id!: string;
  @LongText({ uk: 'Опис', en: 'Description' }) description!: string;
}

@PlainDto()
export class Address {
  @Text({ uk: 'Країна', en: 'Country' }) countryName!: string;
  @Text({ uk: 'Поштовий індекс', en: 'Postal code', optional: true }) postalCode?: string;
  @Text({ uk: 'Область', en: 'Region', optional: true, searchable: true }) region?: string;
  @Text({ uk: 'Вулиця, будинок', en: 'Street address', optional: true, searchable: true }) streetAddress?: string;
  @Text({ uk: 'Населений пункт', en: 'Locality', optional: true, searchable: true }) locality?: string;
}

@PlainDto()
export class Identifier {
  @Text({ uk: 'Схема', en: 'Scheme' }) scheme!: string;
  @Text({ uk: 'Код', en: 'Code' }) id!: string;
  @WebUrl({ uk: 'Посилання', en: 'Link', optional: true }) uri?: string;
}

@PlainDto()
export class ContactPoint {
  @Text({ uk: 'Імʼя', en: 'Name' }) name!: string;
  @Text({ uk: 'Телефон', en: 'Telephone' }) telephone!: string;
}

/** The organisation in charge of the asset. */
@PlainDto()
export class Custodian {
  @Text({ uk: 'Назва', en: 'Name' }) name!: string;
  @Nested(() => Identifier, { uk: 'Ідентифікатор', en: 'Identifier' }) identifier!: Identifier;
  @Nested(() => Address, { uk: 'Адреса', en: 'Address', optional: true }) address?: Address;
  @Nested(() => ContactPoint, { uk: 'Контактна особа', en: 'Contact point' }) contactPoint!: ContactPoint;
}
