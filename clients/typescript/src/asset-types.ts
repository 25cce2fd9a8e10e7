/*
 * Written by `npm run client:types` from the installed asset types. Not edited by hand.
 */

import type { AsDryRun, AsDryRunNew, Patch, ServiceFields } from './asset-parts.js';

export interface Classification {
  scheme: string;
  /** Code */
  id: string;
  description: string;
}

export interface ValueInput {
  currency: string;
  amount: number;
  /** VAT included */
  valueAddedTaxIncluded?: boolean;
}

export interface Value {
  currency: string;
  amount: number;
  /** VAT included */
  valueAddedTaxIncluded: boolean;
}

export interface Unit {
  code: string;
  name: string;
}

export interface Address {
  /** Country */
  countryName: string;
  postalCode?: string;
  region?: string;
  streetAddress?: string;
  locality?: string;
}

export interface Identifier {
  scheme: string;
  /** Code */
  id: string;
  /** Link */
  uri?: string;
}

export interface ContactPoint {
  name: string;
  telephone: string;
}

export interface Custodian {
  name: string;
  identifier: Identifier;
  address?: Address;
  contactPoint: ContactPoint;
}

export interface DebtInput {
  agreementNumber: string;
  debtorType: 'naturalPerson' | 'legalPerson';
  /** Debtor */
  debtorName?: string;
  dateSigned: string;
  /** Debt value */
  value: ValueInput;
  /** Debt value in its currency */
  debtCurrencyValue?: ValueInput;
}

export interface Debt {
  agreementNumber: string;
  debtorType: 'naturalPerson' | 'legalPerson';
  /** Debtor */
  debtorName?: string;
  dateSigned: string;
  /** Debt value */
  value: Value;
  /** Debt value in its currency */
  debtCurrencyValue?: Value;
}

export interface CompoundItemInput {
  id?: string;
  description: string;
  classification: Classification;
  unit: Unit;
  quantity: number;
  address: Address;
}

export interface CompoundItem {
  id: string;
  description: string;
  classification: Classification;
  unit: Unit;
  quantity: number;
  address: Address;
}

/** Property item, as a broker creates it. */
export interface BasicInput {
  assetType: 'basic';
  title: string;
  description?: string;
  classification: Classification;
  value: ValueInput;
  unit: Unit;
  quantity: number;
  address: Address;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property item */
export interface Basic extends ServiceFields {
  assetType: 'basic';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted';
  title: string;
  description?: string;
  classification: Classification;
  value: Value;
  unit: Unit;
  quantity: number;
  address: Address;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Right of claim, as a broker creates it. */
export interface ClaimRightsInput {
  assetType: 'claimRights';
  title: string;
  description?: string;
  classification: Classification;
  value: ValueInput;
  unit: Unit;
  quantity: number;
  debt: DebtInput;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Right of claim */
export interface ClaimRights extends ServiceFields {
  assetType: 'claimRights';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted' | 'verification';
  title: string;
  description?: string;
  classification: Classification;
  value: Value;
  unit: Unit;
  quantity: number;
  debt: Debt;
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property complex, as a broker creates it. */
export interface CompoundInput {
  assetType: 'compound';
  title: string;
  description?: string;
  value: ValueInput;
  items: CompoundItemInput[];
  /** Custodian */
  assetCustodian: Custodian;
}

/** Property complex */
export interface Compound extends ServiceFields {
  assetType: 'compound';
  status: 'draft' | 'pending' | 'active' | 'complete' | 'deleted';
  title: string;
  description?: string;
  value: Value;
  items: CompoundItem[];
  /** Custodian */
  assetCustodian: Custodian;
}

/** Any asset; `assetType` is the discriminator. */
export type Asset = Basic | ClaimRights | Compound;

/** A changed asset in the answer of a dry run. */
export type DryRunAsset = AsDryRun<Asset>;

/** A new asset in the answer of a dry run. */
export type DryRunNewAsset = AsDryRunNew<Asset>;

/** The data of a new asset, as a broker sends it. */
export type AssetInput = BasicInput | ClaimRightsInput | CompoundInput;

/** A change of an asset: the owner may change its fields, a concierge `relatedLot`, both `status`. */
export type AssetPatch = (
  | Patch<Omit<BasicInput, 'assetType'>>
  | Patch<Omit<ClaimRightsInput, 'assetType'>>
  | Patch<Omit<CompoundInput, 'assetType'>>
) & { status?: Asset['status']; relatedLot?: string | null };
