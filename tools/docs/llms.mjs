// Makes llms.txt (https://llmstxt.org): every page of the documentation with its title, for programs that read it.
import { folders, titleOf } from "./pages.mjs";

/** Returns the text. Call it after the reference is written, so that it includes those pages. */
export function llmsText() {
  const sections = folders().map(({ name, pages }) => {
    const lines = pages.map((path) => `- [${titleOf(path)}](${path})`);
    return `## ${name[0].toUpperCase()}${name.slice(1)}\n\n${lines.join("\n")}\n`;
  });
  const head =
    "# Touchstone\n\n> Touchstone sits between an MCP client and an MCP server. It checks every tool call against the tool's own\n> schema, and forwards messages byte for byte.\n";
  return [head, ...sections].join("\n");
}
