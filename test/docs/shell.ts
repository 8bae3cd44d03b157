import type { Block } from "./markdown.ts";

const isPrompted = ({ language }: Block): boolean => language === "console";

/** A command from a block, and the output that is shown below it. */
export interface Step {
  readonly command: string;
  /** The output in a `console` block; undefined for a block that cannot show output (`sh`). */
  readonly shown: string | undefined;
}

/** Returns whether a command continues in the next line: by a backslash, or inside quotes. */
function isOpen(command: string): boolean {
  if (command.endsWith("\\\n")) return true;
  const quotes = command.replaceAll(/\\.|#.*$/gm, "").replaceAll(/'[^']*'|"[^"]*"/g, "");
  return /['"]/.test(quotes);
}

/**
 * Returns the commands of a `sh` block; of a `console` block, those after `$ `; of a workflow in YAML, those after
 * `run:`.
 */
export function stepsOf(block: Block): readonly Step[] {
  const steps: { command: string; shown: string }[] = [];
  let open = false;
  if (block.language === "yaml") {
    const runs = [...block.text.matchAll(/^ *- run: (.*)$/gm)];
    return runs.map(([, command = ""]) => ({ command, shown: undefined }));
  }
  for (const line of block.text.split(/(?<=\n)/)) {
    const last = steps.at(-1);
    if (open && last) last.command += line;
    else if (!isPrompted(block)) {
      if (/^\s*(#|$)/.test(line)) continue;
      steps.push({ command: line, shown: "" });
    } else if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: "" });
    else if (last) last.shown += line;
    open = isOpen(steps.at(-1)?.command ?? "");
  }
  return steps.map(({ command, shown }) => ({
    command: command.trimEnd(),
    shown: isPrompted(block) ? shown : undefined,
  }));
}

const TOKEN =
  /\\\n|[ \t]+|(#[^\n]*)|(\n|&&|\|\||[;|&])|(\d*[<>]+&?\d*)|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;|&<>])+)/gy;

const unquoted = (word: string): string =>
  word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (_, single, double, escaped) =>
    single !== undefined ? single : (escaped ?? double.replaceAll(/\\(["\\$`])/g, "$1")),
  );

/**
 * Returns the simple commands of a shell command, each as its words: less redirections and comments, variables
 * as they are written (POSIX.1-2024, Shell Command Language, 2.2 and 2.3, as far as our pages go).
 * @throws if a quote is not closed
 */
export function wordsOf(command: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let redirected = false;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < command.length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(command);
    if (token === null) throw new Error(`cannot be read from ${JSON.stringify(command.slice(at))}`);
    const [, comment, separator, redirection, word] = token;
    if (comment !== undefined) continue;
    if (separator !== undefined) commands.push([]);
    else if (redirection !== undefined) redirected = !redirection.includes("&");
    else if (word !== undefined) {
      if (!redirected) commands.at(-1)?.push(unquoted(word));
      redirected = false;
    }
  }
  return commands.filter((words) => words.length > 0);
}
