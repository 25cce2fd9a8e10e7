import { Text } from '../fields.js';

export class Unit {
  @Text({ uk: 'Код', en: 'Code' }) code!: string;
  @Text({ uk: 'Назва', en: 'Name' }) name!: string;
}
