import { LongText, Nested, Quantity, Text } from '../fields.js';
import { PlainDto } from '../plain-dto.js';
import { Address, Classification, Custodian, Unit, Value } from '../shared/parts.dto.js';

/** One property item, such as a land plot. Source: contract section 1. */
@PlainDto()
export class BasicAsset {
  @Text({ uk: 'Назва', en: 'Title' }) title!: string;
  @LongText({ uk: 'Опис', en: 'Description', optional: true }) description?: string;
  @Nested(() => Classification, { uk: 'Класифікація', en: 'Classification' }) classification!: Classification;
  @Nested(() => Value, { uk: 'Вартість', en: 'Value' }) value!: Value;
  @Nested(() => Unit, { uk: 'Одиниця виміру', en: 'Unit' }) unit!: Unit;
  @Quantity({ uk: 'Кількість', en: 'Quantity' }) quantity!: number;
  @Nested(() => Address, { uk: 'Адреса', en: 'Address' }) address!: Address;
  @Nested(() => Custodian, { uk: 'Балансоутримувач', en: 'Custodian' }) assetCustodian!: Custodian;
}
