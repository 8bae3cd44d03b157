/**
 * Loads an SDK, or returns why it cannot be loaded: tests of an SDK that needs a newer Node are skipped visibly, with
 * the reason in the test's name.
 */
export async function loadSdk<T>(
  name: string,
  load: () => Promise<T>,
): Promise<
  { readonly sdk: T; readonly skip?: never } | { readonly skip: string; readonly sdk?: never }
> {
  try {
    return { sdk: await load() };
  } catch (error) {
    if (process.env["REQUIRE_ALL"] === "1") throw error;
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { skip: `${name} does not load on Node ${process.versions.node}: ${reason}` };
  }
}
