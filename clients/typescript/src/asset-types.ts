/*
 * Written by `npm run client:types` from the installed asset types. Not edited by hand.
 */

import type { AsTried, AsTriedNew, Patch, ServiceFields } from './asset-parts.js';

export interface Classification {
  /** Scheme */
  scheme: string;
  /** Code */
  id: string;
  /** Description */
  description: string;
}

export interface ValueInput {
  /** Currency */
  currency: string;
  /** Amount */
  amount: number;
  /** VAT included */
  valueAddedTaxIncluded?: boolean;
}

export interface Value {
  /** Currency */
  currency: string;
  /** Amount */
  amount: number;
  /** VAT included */
  valueAddedTaxIncluded: boolean;
}

export interface Unit {
  /** Code */
  code: string;
  /** Name */
  name: string;
}

export interface Address {
  /** Country */
  countryName: string;
  /** Postal code */
  postalCode?: string;
  /** Region */
  region?: string;
  /** Street address */
  streetAddress?: string;
  /** Locality */
  locality?: string;
}

export interface Identifier {
  /** Scheme */
  scheme: string;
  /** Code */
  id: string;
  /** Link */
  uri?: string;
}

export interface ContactPoint {
  /** Name */
  name: string;
  /** Telephone */
  telephone: string;
}

export interface Custodian {
  /** Name */
  name: string;
  /** Identifier */
  identifier: Identifier;
  /** Address */
  address?: Address;
  /** Contact point */
  contactPoint: ContactPoint;
}

export interface DebtInput {
  /** Agreement number */
  agreementNumber: string;
  /** Debtor type */
  debtorType: 'naturalPerson' | 'legalPerson';
  /** Debtor */
  debtorName?: string;
  /** Date signed */
  dateSigned: string;
  /** Debt value */
  value: ValueInput;
  /** Debt value in its currency */
  debtCurrencyValue?: ValueInput;
}

export interface Debt {
  /** Agreement number */
  agreementNumber: string;
  /** Debtor type */
  debtorType: 'naturalPerson' | 'legalPerson';
  /** Debtor */
  debtorName?: string;
  /** Date signed */
  dateSigned: string;
  /** Debt value */
  value: Value;
  /** Debt value in its currency */
  debtCurrencyValue?: Value;
}

export interface CompoundItemInput {
  /** Id */
  id?: string;
  /** Description */
  description: string;
  /** Classification */
  classification: Classification;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Address */
  address: Address;
}

export interface CompoundItem {
  /** Id */
  id: string;
  /** Description */
  description: string;
  /** Classification */
  classification: Classification;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Address */
  address: Address;
}

/** Property item, as a broker creates it. */
export interface BasicInput {
  assetType: 'basic';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Classification */
  classification: Classification;
  /** Value */
  value: ValueInput;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Address */
  address: Address;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property item */
export interface Basic extends ServiceFields {
  assetType: 'basic';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Classification */
  classification: Classification;
  /** Value */
  value: Value;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Address */
  address: Address;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Right of claim, as a broker creates it. */
export interface ClaimRightsInput {
  assetType: 'claimRights';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Classification */
  classification: Classification;
  /** Value */
  value: ValueInput;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Debt */
  debt: DebtInput;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Right of claim */
export interface ClaimRights extends ServiceFields {
  assetType: 'claimRights';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted' | 'verification';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Classification */
  classification: Classification;
  /** Value */
  value: Value;
  /** Unit */
  unit: Unit;
  /** Quantity */
  quantity: number;
  /** Debt */
  debt: Debt;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property complex, as a broker creates it. */
export interface CompoundInput {
  assetType: 'compound';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Value */
  value: ValueInput;
  /** Items */
  items: CompoundItemInput[];
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property complex */
export interface Compound extends ServiceFields {
  assetType: 'compound';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted';
  /** Title */
  title: string;
  /** Description */
  description?: string;
  /** Value */
  value: Value;
  /** Items */
  items: CompoundItem[];
  /** Custodian */
  assetCustodian: Custodian;
}

/** Any asset; `assetType` tells which. */
export type Asset = Basic | ClaimRights | Compound;

/** A change as a dry run shows it. */
export type TriedAsset = AsTried<Asset>;

/** A creation as a dry run shows it. */
export type TriedNewAsset = AsTriedNew<Asset>;

/** What a broker creates an asset from. */
export type AssetInput = BasicInput | ClaimRightsInput | CompoundInput;

/** What may be changed of an asset: by its owner its fields, by a concierge `relatedLot`, by both `status`. */
export type AssetPatch = (
  | Patch<Omit<BasicInput, 'assetType'>>
  | Patch<Omit<ClaimRightsInput, 'assetType'>>
  | Patch<Omit<CompoundInput, 'assetType'>>
) & { status?: Asset['status']; relatedLot?: string | null };
