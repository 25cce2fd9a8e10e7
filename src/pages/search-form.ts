import { type SearchParameterName, SORTS } from '../search/search-parameters.js';
import { isRegionOfUkraine, regionLabel, REGIONS_OF_UKRAINE } from '../search/region-labels.js';
import { ByteBudget } from './byte-budget.js';
import { escaped, type Html, html, type Part } from './html.js';
import type { Language } from './language.js';
import type { FilterChoices } from './filter-choices.js';
import { ANY_STATE, AVAILABLE_NOW, type Condition, type PageQuery } from './page-query.js';
import { type Texts, TEXTS } from './texts.js';
import { isDay } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

/** Brokers name regions of other countries as they like. */
const MAX_OTHER_REGIONS_BYTES = 1_000;

/** Regions and currencies to choose from. */
export interface Offered {
  regions: readonly string[];
  currencies: readonly string[];
}

interface FilledIn {
  query: PageQuery;
  conditions: readonly Condition[];
  offered: Offered;
  /** Facets replace the fields of state, type and order. */
  facets?: Html | undefined;
}

interface Choice {
  value: string;
  label: string;
}

/** The search form. Its fields are parameters of the search. */
export class SearchForm {
  constructor(private readonly choices: FilterChoices) {}

  /**
   * @param rules errors by the name of the field
   */
  show(filledIn: FilledIn, rules: ReadonlyMap<string, string>, context: PageContext): Html {
    const { query, conditions, facets } = filledIn;
    const texts = TEXTS[context.language];
    const fields = new FormFields(conditions, rules);
    return html`<form role="search" autocomplete="off" action="${linkTo({ ...context, hasChosen: false }, '/')}">
      <div class="line">
        ${fields.input('q', texts.searchFor, html`type="search"`)}
        <button type="submit">${texts.find}</button>
        ${facets && html`<a class="skip" href="#results">${texts.toResults}</a>`}
      </div>
      <details class="conditions" ${rules.size > 0 && html` open`}>
        <summary>${texts.conditions}</summary>
        ${facets}
        <div class="fields">
          ${facets === undefined ? this.choicesOf(query, fields, context) : query.query.status.length === 0 && hidden('status', ANY_STATE)}
          ${this.fields(filledIn, fields, context)}
          <button type="submit">${texts.apply}</button>
        </div>
      </details>
      ${fields.rest()} ${context.hasChosen && hidden('lang', context.language)}
    </form>`;
  }

  private choicesOf({ query }: PageQuery, fields: FormFields, context: PageContext): Html {
    const texts = TEXTS[context.language];
    const words = [
      { value: AVAILABLE_NOW, label: texts.availableNow },
      { value: ANY_STATE, label: texts.any },
    ];
    const states = [...words, ...choicesOf(this.choices.status, context)];
    const types = [{ value: '', label: texts.any }, ...choicesOf(this.choices.assetType, context)];
    const isAny = query.status.length === 0 && !fields.isRefused('status');
    return html`${fields.select('status', texts.state, states, isAny ? ANY_STATE : undefined)}
    ${fields.select('assetType', texts.type, types)} ${fields.select('sort', texts.sort, sortsOf(texts))}`;
  }

  /** The region of a link may have any spelling. */
  private regions(
    conditions: readonly Condition[],
    fields: FormFields,
    offered: Offered,
    { language }: PageContext,
  ): Html {
    const texts = TEXTS[language];
    const sent = conditions.find(({ name }) => name === 'region')?.value;
    const names = regionChoices(offered.regions, language).map((name) => ({ value: name, label: name }));
    const all = [{ value: '', label: texts.anyRegion }, ...names];
    return fields.select('region', texts.region, all, sent && regionLabel(sent, language));
  }

  private fields({ offered, conditions }: FilledIn, fields: FormFields, context: PageContext): Html {
    const texts = TEXTS[context.language];
    const currencies = offered.currencies.map((code) => ({ value: code, label: code }));
    return html`${this.regions(conditions, fields, offered, context)}
    ${fields.input('valueFrom', texts.valueFrom, html`inputmode="decimal"`)}
    ${fields.input('valueTo', texts.valueTo, html`inputmode="decimal"`)}
    ${fields.select('currency', texts.currency, [{ value: '', label: texts.anyCurrency }, ...currencies])}
    ${fields.input('custodian', texts.custodian)} ${fields.input('classification', texts.classification)}
    ${fields.input('owner', texts.broker)} ${fields.input('relatedLot', texts.relatedLot)}
    ${fields.day('modifiedFrom', texts.modifiedFrom)} ${fields.day('modifiedTo', texts.modifiedTo)}`;
  }
}

/** Builds fields and fills each with the next condition of its name. */
class FormFields {
  private left: Condition[];

  constructor(
    conditions: readonly Condition[],
    private readonly rules: ReadonlyMap<string, string>,
  ) {
    this.left = [...conditions];
  }

  isRefused(name: SearchParameterName): boolean {
    return this.rules.has(name);
  }

  /** Removes all values of a field. */
  drop(name: SearchParameterName): void {
    this.left = this.left.filter((one) => one.name !== name);
  }

  private next(name: SearchParameterName): string | undefined {
    const at = this.left.findIndex((one) => one.name === name);
    return at < 0 ? undefined : this.left.splice(at, 1)[0]?.value;
  }

  input(name: SearchParameterName, label: string, attributes?: Part): Html {
    const value = this.next(name);
    return html`<div class="field">
      ${this.labelled(name, label)}
      <input
        id="${name}"
        name="${name}"
        ${attributes}
        ${this.marks(name)}
        ${value !== undefined && html`value="${value}"`}
        maxlength="200"
      />
    </div>`;
  }

  /** A day; an instant of a link is shown as text. */
  day(name: SearchParameterName, label: string): Html {
    const sent = this.left.find((one) => one.name === name)?.value ?? '';
    if (this.isRefused(name) || (sent !== '' && !isDay(sent))) return this.input(name, label);
    this.drop(name);
    return html`<div class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="${name}" type="date" ${sent !== '' && html`value="${sent}"`} />
    </div>`;
  }

  select(name: SearchParameterName, label: string, choices: readonly Choice[], shown?: string): Html {
    const sent = this.next(name);
    const chosen = shown ?? sent ?? choices[0]?.value ?? '';
    // An old link may have a value that is no longer offered.
    const all = choices.some(({ value }) => value === chosen)
      ? choices
      : [...choices, { value: chosen, label: chosen }];
    return html`<div class="field">
      ${this.labelled(name, label)}
      <select id="${name}" name="${name}" ${this.marks(name)}>
        ${all.map(({ value, label: text }) => html`<option${value !== text && html` value="${value}"`}${value === chosen && html` selected`}>${text}</option>`)}
      </select>
    </div>`;
  }

  /** The label, and above the field its error. */
  private labelled(name: SearchParameterName, label: string): Html {
    const rule = this.rules.get(name);
    return html`<label for="${name}">${label}</label>
      ${rule !== undefined && html`<p class="rule" id="${name}-rule">${rule}</p>`}`;
  }

  private marks(name: SearchParameterName): Html | false {
    return this.isRefused(name) && html`aria-invalid="true" aria-describedby="${name}-rule"`;
  }

  /** Hidden fields with further values of lists, of which the form shows the first. Not of regions, so that an empty region means any. */
  rest(): Html[] {
    const others = this.left.filter(({ name }) => name !== 'region');
    return others.map(({ name, value }) => hidden(name, value));
  }
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

function choicesOf(labels: FilterChoices['status'], { language }: PageContext): Choice[] {
  return [...labels].map(([value, label]) => ({ value, label: label[language] }));
}

function sortsOf({ sorts }: Texts): Choice[] {
  return SORTS.map((value) => ({ value: value === SORTS[0] ? '' : value, label: sorts[value] }));
}

/**
 * Names of regions in the page's language: the 27 of Ukraine, then others that fit.
 * @param offered regions of listed assets, the most frequent first
 */
function regionChoices(offered: readonly string[], language: Language): string[] {
  const budget = new ByteBudget(MAX_OTHER_REGIONS_BYTES);
  const others = offered.filter((name) => !isRegionOfUkraine(name));
  return [
    ...REGIONS_OF_UKRAINE.map((labels) => labels[language]),
    ...others.filter((name) => budget.reserve(Buffer.byteLength(escaped(name)))),
  ];
}
