import { Items, LongText, Nested, Quantity, Text } from '../fields.js';
import { PlainDto } from '../plain-dto.js';
import { Address, Classification, Custodian, Item, Unit, Value } from '../shared/parts.dto.js';

@PlainDto()
export class CompoundItem extends Item {
  @LongText({ uk: 'Опис', en: 'Description' }) description!: string;
  @Nested(() => Classification, { uk: 'Класифікація', en: 'Classification' }) classification!: Classification;
  @Nested(() => Unit, { uk: 'Одиниця виміру', en: 'Unit' }) unit!: Unit;
  @Quantity({ uk: 'Кількість', en: 'Quantity' }) quantity!: number;
  @Nested(() => Address, { uk: 'Адреса', en: 'Address' }) address!: Address;
}

/** Several items valued and sold together, such as a factory with its land. */
@PlainDto()
export class CompoundAsset {
  @Text({ uk: 'Назва', en: 'Title' }) title!: string;
  @LongText({ uk: 'Опис', en: 'Description', optional: true }) description?: string;
  @Nested(() => Value, { uk: 'Вартість', en: 'Value' }) value!: Value;
  @Items(() => CompoundItem, { uk: 'Склад', en: 'Items', atLeast: 1 }) items!: CompoundItem[];
  @Nested(() => Custodian, { uk: 'Балансоутримувач', en: 'Custodian' }) assetCustodian!: Custodian;
}
