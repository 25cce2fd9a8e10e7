import { Description, Nested, Quantity, Text } from '../fields.js';
import { Address } from '../shared/address.dto.js';
import { Classification } from '../shared/classification.dto.js';
import { Custodian } from '../shared/custodian.dto.js';
import { Unit } from '../shared/unit.dto.js';
import { Value } from '../shared/value.dto.js';

/** One property item, such as a land plot. Source: contract section 1. */
export class BasicAsset {
  @Text()
  title!: string;

  @Description()
  description?: string;

  @Nested(() => Classification)
  classification!: Classification;

  @Nested(() => Value)
  value!: Value;

  @Nested(() => Unit)
  unit!: Unit;

  @Quantity()
  quantity!: number;

  @Nested(() => Address)
  address!: Address;

  @Nested(() => Custodian)
  assetCustodian!: Custodian;
}
