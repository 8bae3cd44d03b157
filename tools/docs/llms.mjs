// llms.txt (https://llmstxt.org): every page of the documentation with its title, for programs that read it.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const FOLDERS = ["tutorial", "guides", "reference", "explanation", "decisions"];

const titleOf = (path) => readFileSync(docs + path, "utf8").match(/^# (.*)$/m)?.[1] ?? path;

/** Text. Read it after the reference is written, so that its pages are there. */
export function llmsText() {
  const sections = FOLDERS.map((folder) => {
    const names = readdirSync(docs + folder, { recursive: true })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => name.endsWith(".md"))
      .toSorted();
    const lines = names.map(
      (name) => `- [${titleOf(`${folder}/${name}`)}](docs/${folder}/${name})`,
    );
    return `## ${folder[0].toUpperCase()}${folder.slice(1)}\n\n${lines.join("\n")}\n`;
  });
  const head =
    "# Touchstone\n\n> Touchstone sits between an MCP client and an MCP server. It checks every tool call against the tool's own\n> schema, and forwards messages byte for byte.\n";
  return [head, ...sections].join("\n");
}
