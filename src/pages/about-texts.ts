import type { Language } from './language.js';

/*
 * Texts of the page about the registry.
 */

const UK = {
  title: 'Про реєстр',
  what: 'Це публічний реєстр майна. Записи до нього вносять організатори, а переглядати їх може кожен: без реєстрації та безоплатно.',
  keeps:
    'Опубліковану зміну видно одразу. Попередні стани зберігаються, тож на сторінці обʼєкта є вся його історія. Вилучений обʼєкт залишається доступним із позначкою про вилучення.',
  who: 'Хто відповідає за реєстр',
  frequency: 'Як часто оновлюється',
  frequencies: {
    continuous: 'одразу після внесення змін',
    hourly: 'щогодини',
    daily: 'щодня',
    weekly: 'щотижня',
    monthly: 'щомісяця',
    quarterly: 'щокварталу',
    annual: 'щороку',
    irregular: 'нерегулярно',
  },
  terms: 'Умови користування',
  version: 'Версія програми',
  cite: 'Як посилатися',
  citeMore: 'Вкажіть номер обʼєкта, назву реєстру, адресу сторінки та дату перегляду:',
  assetId: 'НОМЕР',
  citePast: 'Якщо потрібен стан обʼєкта на певну дату, додайте її до адреси сторінки:',
  copy: 'Як отримати всі дані',
  copyFiles: 'Усі опубліковані обʼєкти одним файлом:',
  copyMore:
    'Щоб мати власну копію, яка завжди відповідає реєстру, читайте стрічку змін через API: жодна зміна в ній не губиться.',
  proof: 'Як перевірити, що записи не змінено непомітно',
  proofMore:
    'Кожен опублікований стан обʼєкта потрапляє до підписаного журналу, з якого нічого не можна непомітно прибрати чи виправити заднім числом. На сторінці обʼєкта є доказ цього: збережіть його й перевірте програмою check-proof.py. Відкритий ключ журналу наведено в описі служби.',
  publicKey: 'опис служби',
};

const EN: typeof UK = {
  title: 'About the registry',
  what: 'This is a public registry of property. Brokers enter the records, and anyone may read them, free of charge and without an account.',
  keeps:
    'A published change is visible at once. Earlier states are kept, so the page of an asset shows its whole history. A withdrawn asset stays readable and is marked as withdrawn.',
  who: 'Who is responsible for the registry',
  frequency: 'Updated',
  frequencies: {
    continuous: 'as soon as something changes',
    hourly: 'every hour',
    daily: 'every day',
    weekly: 'every week',
    monthly: 'every month',
    quarterly: 'every quarter',
    annual: 'every year',
    irregular: 'irregularly',
  },
  terms: 'Terms of use',
  version: 'Software version',
  cite: 'How to cite',
  citeMore: 'Give the asset ID, the name of the registry, the address of the page and the date of access:',
  assetId: 'ASSET-ID',
  citePast: 'To cite an asset as it was on a certain date, add the date to the address of its page:',
  copy: 'How to get all the data',
  copyFiles: 'All published assets in one file:',
  copyMore:
    'To keep a copy that always matches the registry, read the change feed through the API: it never skips a change.',
  proof: 'How to check that no record was changed unnoticed',
  proofMore:
    'Every published state of an asset is recorded in a signed log, from which nothing can be removed or backdated unnoticed. The page of an asset has the proof: save it and check it with check-proof.py. The public key of the log is in the service description.',
  publicKey: 'service description',
};

export const ABOUT_TEXTS: Readonly<Record<Language, typeof UK>> = { uk: UK, en: EN };
