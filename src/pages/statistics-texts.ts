/*
 * What the statistics say, beside texts.ts.
 */

export const STATISTICS_UK = {
  ofSearch: 'Пошук',
  ofRegistry: 'Статистика всього реєстру',
  ofList: 'Статистика переліку',
  lastChanged: 'Востаннє змінено',
  median: 'Медіана',
  highest: 'Найбільше за місяць',
};

export const STATISTICS_EN: typeof STATISTICS_UK = {
  ofSearch: 'Search',
  ofRegistry: 'Statistics of the whole registry',
  ofList: 'Statistics of this list',
  lastChanged: 'Last changed',
  median: 'Median',
  highest: 'Highest in a month',
};
