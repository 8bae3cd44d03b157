/** Returns a text as a cell of a table in Markdown. */
export const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
