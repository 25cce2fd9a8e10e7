import { editsBetween } from '../../asset-types/nearest-name.js';

/** Settings of earlier versions, with the advice for each. */
const REMOVED: Record<string, string> = {
  WORKERS: 'a service is one process; for more, start several behind a proxy (docs/production.md)',
};
/** Edits of a misspelt name: one for each of these many characters, and at least one. */
const CHARACTERS_PER_EDIT = 5;

/**
 * Finds variables that look like settings but are not: of an earlier version, or misspelt.
 * @param settings names of all settings
 * @returns a sentence for each, without its value, which may be secret
 */
export function settingWarnings(env: Record<string, string | undefined>, settings: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => !settings.has(name) && env[name]?.trim())
    .map((name) => warningOf(name, settings))
    .filter((warning) => warning !== undefined);
}

function warningOf(name: string, settings: Iterable<string>): string | undefined {
  const instead = REMOVED[name];
  if (instead !== undefined) return `${name} is no longer a setting and is ignored: ${instead}`;
  const meant = [...settings].find((setting) => isMisspelt(name.toUpperCase(), setting));
  return meant && `${name} is not a setting and is ignored: did you mean ${meant}?`;
}

function isMisspelt(name: string, setting: string): boolean {
  const maxEdits = Math.max(1, Math.floor(setting.length / CHARACTERS_PER_EDIT));
  return Math.abs(name.length - setting.length) <= maxEdits && editsBetween(name, setting) <= maxEdits;
}
