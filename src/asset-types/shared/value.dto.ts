import { Amount, Currency, Flag } from '../fields.js';

export class Value {
  @Currency({ uk: 'Валюта', en: 'Currency' }) currency!: string;
  @Amount({ uk: 'Сума', en: 'Amount' }) amount!: number;
  @Flag({ uk: 'З урахуванням ПДВ', en: 'VAT included' }) valueAddedTaxIncluded = true;
}
