/*
 * What the pages say of regions, and of words in another language than the assets', beside texts.ts.
 */

export const LANGUAGE_UK = {
  anyRegion: 'Уся Україна',
};

export const LANGUAGE_EN: typeof LANGUAGE_UK = {
  anyRegion: 'All regions',
};
