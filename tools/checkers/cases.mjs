// Reads the cases of cases/*.yaml, and replaces placeholders for text that is known only during a run.
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

const here = (path) => new URL(path, import.meta.url);
const MODERN = "2026-07-28";

/** Returns whether a revision has no `initialize`. */
export const isModern = (revision) => revision >= MODERN;

/** The `_meta` that each request of 2026-07-28 must have. */
const META = JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "checkers", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
});

/** The text of the tools that the server declares: a JSON array. */
export const TOOLS = JSON.stringify(JSON.parse(readFileSync(here("tools.json"), "utf8")));

/**
 * Returns the bytes of a message.
 * @param text may have $ID (the id of the request that it responds to), $TOKEN (the progress token of the call), $META
 * and $RESULT (what 2026-07-28 demands of requests and results, empty before), $CACHE (the same for lists), $TOOLS,
 * $REPEAT(text,times) and $HEX(bytes)
 */
export function bytesOf(text, revision, { id = "null", token = "null" } = {}) {
  const modern = isModern(revision);
  const words = {
    ID: id,
    TOKEN: token,
    META: modern ? `"_meta":${META},` : "",
    RESULT: modern ? '"resultType":"complete",' : "",
    CACHE: modern ? '"ttlMs":0,"cacheScope":"private",' : "",
    TOOLS,
  };
  const filled = text
    .replace(/\$REPEAT\((.*?),(\d+)\)/g, (_, part, times) => part.repeat(Number(times)))
    .replace(/\$([A-Z]+)\b(?!\()/g, (whole, word) => words[word] ?? whole)
    .replace(/^(\{.*"params":\{"_meta":\{.*\}),\}\}$/, "$1}}");
  const parts = filled.split(/\$HEX\(([0-9a-f]*)\)/);
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 ? "hex" : "utf8")));
}

/** Returns the sections of specifications that cases name. */
export function readSections() {
  return parse(readFileSync(here("sections.yaml"), "utf8"));
}

/**
 * Returns all cases, one for each revision that a case names, in the order of the files.
 * @throws Error if a case names an unknown section
 */
export function readCases() {
  const sections = readSections();
  const files = readdirSync(here("cases/")).filter((file) => file.endsWith(".yaml"));
  return files.sort().flatMap((file) => {
    const group = file.replace(/\.yaml$/, "");
    return parse(readFileSync(here(`cases/${file}`), "utf8")).flatMap((entry) =>
      [entry.revisions].flat().map((revision) => {
        const section = sections[entry.section];
        if (section === undefined) throw new Error(`${file}: ${entry.name}: no such section`);
        const { link, ...rest } = section;
        return {
          ...entry,
          group,
          revision,
          key: `${entry.name}@${revision}`,
          section: { ...rest, link: link.replaceAll("{revision}", revision) },
          exchange: entry.exchange.map((step) => {
            const [[from, text]] = Object.entries(step);
            return { from, text };
          }),
        };
      }),
    );
  });
}
