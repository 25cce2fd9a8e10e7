import { Description, Text } from '../fields.js';

export class Classification {
  @Text()
  scheme!: string;

  @Text()
  id!: string;

  @Description({ optional: false })
  description!: string;
}
