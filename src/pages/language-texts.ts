/*
 * What the pages say of regions, and of words in another language than the assets', beside texts.ts.
 */

export const LANGUAGE_UK = {
  anyRegion: 'Уся Україна',
  nothingFor: 'Нічого не знайдено за запитом',
  shownFor: 'Показано результати за запитом',
};

export const LANGUAGE_EN: typeof LANGUAGE_UK = {
  anyRegion: 'All regions',
  nothingFor: 'Nothing was found for',
  shownFor: 'These are the results for',
};
