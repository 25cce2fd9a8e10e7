type Profile = Readonly<Record<string, string | number>>;

const NO_HARM: Profile = {
  'service-kills': 0,
  'database-kills': 0,
  'service-freezes': 0,
  'database-freezes': 0,
  'proxy-faults': 0,
};

/** What is asked of `npm run test:faults`: each kind of harm by itself, so that a run is short and says what it found. */
const PROFILES = {
  'two processes': { database: 'mariadb', seconds: 8 },
  'torn views': { database: 'mariadb', seconds: 15, writers: 48, 'eager-readers': 6, 'prepared-transactions': 6_000 },
  // kill -9 meets a commit that is visible and not flushed in about one of six cycles.
  crashes: { database: 'mariadb without binary log', seconds: 45, 'database-kills': 25, 'eager-readers': 6 },
  'lost commits': { database: 'mariadb', seconds: 12, 'proxy-faults': 80 },
  // Longer than the server lets a silent process hold the clock.
  'frozen processes': {
    database: 'mariadb',
    seconds: 40,
    'service-freezes': 4,
    'longest-freeze': 15,
    'allowed-write-gap': 9,
  },
} satisfies Record<string, Profile>;

export type FaultProfile = keyof typeof PROFILES;

/** The options of a profile, as the command takes them. */
export function faultOptions(name: FaultProfile): string[] {
  return Object.entries({ ...NO_HARM, ...PROFILES[name] }).flatMap(([option, value]) => [`--${option}`, String(value)]);
}
