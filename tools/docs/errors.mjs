// Documents error codes: the gateway's from its catalogues, those of other packages from the comments on the types that
// list them.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ERROR_CATALOGUES } from "@touchstone/gateway";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const TYPE = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export type (\w*(?:Error|Fault)Code) =([^;]*);/g;

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (["node_modules", "dist", "testing"].includes(entry.name)) continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sources(path);
    else if (/(?<!\.test)\.tsx?$/.test(entry.name)) yield path;
  }
}

/** Returns what a comment says about each code: lines that begin with `- `, and their continuation lines. */
function described(comment) {
  const text = comment.replaceAll(/^\s*\* ?/gm, "").trim();
  const [intro = "", ...items] = text.split(/^- /m);
  const meanings = new Map();
  for (const item of items) {
    const [names, ...rest] = item.split(":");
    const meaning = rest.join(":").replaceAll(/\s+/g, " ").trim();
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) meanings.set(name, meaning);
  }
  return { intro: intro.replaceAll(/\s+/g, " ").trim(), meanings };
}

/** Returns the sections: each has a name, the package, and the meaning of each code. */
export function errorCatalogues() {
  const found = Object.entries(ERROR_CATALOGUES).map(([name, { about, codes }]) => ({
    name,
    room: "gateway",
    intro: about,
    codes: Object.entries(codes).map(([code, [status, meaning]]) => [code, meaning, status]),
  }));
  for (const path of sources(packages)) {
    const text = readFileSync(path, "utf8");
    for (const [, comment, name, union] of text.matchAll(TYPE)) {
      const codes = [...union.matchAll(/"([^"]+)"/g)].map(([, code]) => code);
      if (codes.length === 0) continue;
      const { intro, meanings } = described(comment);
      const [room] = path.slice(packages.length).split("/").filter(Boolean);
      found.push({ name, room, intro, codes: codes.map((code) => [code, meanings.get(code)]) });
    }
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const link = (text) => text.replaceAll(/\{@link (\w+)\}/g, "`$1`").replaceAll("|", "\\|");

function table(codes) {
  const hasStatus = codes.some(([, , status]) => status !== undefined);
  const row = (...cells) => `| ${cells.filter((cell) => cell !== undefined).join(" | ")} |`;
  return [
    row("code", hasStatus ? "HTTP status" : undefined, "meaning"),
    hasStatus ? "|---|---|---|" : "|---|---|",
    ...codes.map(([code, meaning = "", status]) => row(`\`${code}\``, status, link(meaning))),
  ];
}

/** Markdown. */
export function errorReference() {
  const parts = errorCatalogues().map(({ name, room, intro, codes }) =>
    [`## ${name}`, "", `\`packages/${room}\`. ${link(intro)}`, "", ...table(codes), ""].join("\n"),
  );
  return ["# Error codes\n", ...parts].join("\n");
}
