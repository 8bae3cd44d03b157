/** Maximum number of settings to name. */
const MAX_NAMED = 3;

/** Returns a text with the settings that were written but that options of the command line override. */
export function overriddenText(settings: readonly string[]): string {
  const more = settings.length - MAX_NAMED;
  const named = settings.slice(0, MAX_NAMED).join(", ");
  return `A command-line option overrides it for ${named}${more > 0 ? ` and ${more} more` : ""}.`;
}
