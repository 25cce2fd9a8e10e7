import { Choice, DateTime, LongText, Nested, Quantity, Text } from '../fields.js';
import { PlainDto } from '../plain-dto.js';
import { Classification, Custodian, Unit, Value } from '../shared/parts.dto.js';

@PlainDto()
export class Debt {
  @Text({ uk: 'Номер договору', en: 'Agreement number' }) agreementNumber!: string;

  @Choice(
    {
      naturalPerson: { uk: 'Фізична особа', en: 'Natural person' },
      legalPerson: { uk: 'Юридична особа', en: 'Legal person' },
    },
    { uk: 'Тип боржника', en: 'Debtor type' },
  )
  debtorType!: 'naturalPerson' | 'legalPerson';

  /** Only for legal persons, because the registry is public. */
  @Text({ uk: 'Боржник', en: 'Debtor', optional: true }) debtorName?: string;
  @DateTime({ uk: 'Дата підписання', en: 'Date signed' }) dateSigned!: string;
  @Nested(() => Value, { uk: 'Сума боргу', en: 'Debt value' }) value!: Value;

  @Nested(() => Value, { uk: 'Сума боргу у валюті договору', en: 'Debt value in its currency', optional: true })
  debtCurrencyValue?: Value;
}

/** A right of claim: a debt that is sold as an asset. */
@PlainDto()
export class ClaimRights {
  @Text({ uk: 'Назва', en: 'Title' }) title!: string;
  @LongText({ uk: 'Опис', en: 'Description', optional: true }) description?: string;
  @Nested(() => Classification, { uk: 'Класифікація', en: 'Classification' }) classification!: Classification;
  @Nested(() => Value, { uk: 'Вартість', en: 'Value' }) value!: Value;
  @Nested(() => Unit, { uk: 'Одиниця виміру', en: 'Unit' }) unit!: Unit;
  @Quantity({ uk: 'Кількість', en: 'Quantity' }) quantity!: number;
  @Nested(() => Debt, { uk: 'Борг', en: 'Debt' }) debt!: Debt;
  @Nested(() => Custodian, { uk: 'Балансоутримувач', en: 'Custodian' }) assetCustodian!: Custodian;
}
