import type { Labels } from './labels.js';

/** Members of every asset that no type may describe: the service, or the actor that links lots, sets them. */
export const SERVICE_FIELD_LABELS: Readonly<Record<string, Labels>> = {
  id: { uk: 'Ідентифікатор', en: 'Id' },
  assetID: { uk: 'Номер', en: 'Asset ID' },
  assetType: { uk: 'Тип', en: 'Asset type' },
  status: { uk: 'Стан', en: 'Status' },
  owner: { uk: 'Організатор', en: 'Owner' },
  date: { uk: 'Створено', en: 'Created' },
  dateModified: { uk: 'Змінено', en: 'Modified' },
  relatedLot: { uk: 'Лот', en: 'Related lot' },
};

export const SERVICE_FIELDS: ReadonlySet<string> = new Set(Object.keys(SERVICE_FIELD_LABELS));
