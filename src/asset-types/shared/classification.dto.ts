import { LongText, Text } from '../fields.js';

export class Classification {
  @Text({ uk: 'Схема', en: 'Scheme' }) scheme!: string;
  @Text({ uk: 'Код', en: 'Code' }) id!: string;
  @LongText({ uk: 'Опис', en: 'Description' }) description!: string;
}
