// Documents the command line, as each command's `--help` prints it.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../packages/cli/bin/touchstone.js", import.meta.url));

function help(path) {
  const env = { ...process.env, NO_COLOR: "1", COLUMNS: "100" };
  return execFileSync(process.execPath, [bin, ...path, "--help"], { encoding: "utf8", env });
}

/** Returns the commands that a help text lists. */
function commandsIn(text) {
  const sections = text.split(/\n\n/).filter((part) => !/^(Arguments|Examples|Exit)/.test(part));
  const lists = sections.filter((part) => /^[A-Z][^\n]*:\n/.test(part));
  const names = lists.flatMap((part) =>
    [...part.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name),
  );
  return names.filter((name) => name !== "help");
}

function chapters(path) {
  const text = help(path);
  const title = ["touchstone", ...path].join(" ");
  const own = `## ${title}\n\n<!-- generated: ${title} --help -->\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
  return [own, ...commandsIn(text).flatMap((name) => chapters([...path, name]))];
}

/** Markdown. */
export function cliReference() {
  const head =
    "# Commands\n\nExit codes: 0 clean, 1 findings, 2 usage or configuration, 3 could not run.\n";
  return [head, ...chapters([])].join("\n");
}
