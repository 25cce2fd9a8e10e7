/** Ends the server that global-setup.ts started; one given by TEST_DATABASE_URL is left alone. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.testDatabaseServer?.stop();
}
