import { Text } from '../fields.js';

export class Unit {
  @Text()
  code!: string;

  @Text()
  name!: string;
}
