import { ItemId } from '../fields.js';

/** What every member of a list has, whatever else its type describes. */
export abstract class Item {
  @ItemId({ uk: 'Ідентифікатор', en: 'Id' }) id?: string;
}
