import { Amount, Currency, Flag } from '../fields.js';

export class Value {
  @Currency()
  currency!: string;

  @Amount()
  amount!: number;

  @Flag()
  valueAddedTaxIncluded = true;
}
