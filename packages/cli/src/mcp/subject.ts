import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { safeText } from "../terminal/safe-text.ts";

/** The subject that a tool examines. */
export interface Subject {
  readonly kind: "url" | "file" | "tools" | "command" | "server";
  readonly target: string;
}

/** The words with which commands name a subject. */
export interface SubjectWords {
  /** The words that name it. */
  readonly words: readonly string[];
  /** The command line, which has `--` before a command. */
  readonly args: readonly string[];
  /** The text for standard input. */
  readonly stdin: string;
}

/** Kinds of subjects for which a command is or may be started. */
export const STARTING: readonly Subject["kind"][] = ["command", "server"];
export const HARMLESS: readonly Subject["kind"][] = ["url", "file", "tools"];

/**
 * Returns the words for a subject.
 * @throws Error if the target does not have the form of its kind, or if a file is outside of the working directory
 */
export function subjectWords({ kind, target }: Subject): SubjectWords {
  switch (kind) {
    case "url":
      if (!/^https?:\/\//i.test(target)) throw new Error("a URL begins with http:// or https://");
      return { words: [target], args: [], stdin: "" };
    case "file":
      return { words: [fileInside(target)], args: [], stdin: "" };
    case "tools":
      return { words: ["-"], args: [], stdin: target };
    case "server":
      if (!/^\w[\w.-]*$/.test(target)) throw new Error("this is not the name of a server");
      return { words: [target], args: [], stdin: "" };
    default: {
      const words = commandWords(target);
      if (words.length === 0) throw new Error("name a command");
      return { words, args: ["--", ...words], stdin: "" };
    }
  }
}

/**
 * Returns the path of a file inside of the working directory. Links are resolved first.
 * @throws Error if there is no such file
 */
export function fileInside(path: string): string {
  const folder = realpathSync(process.cwd());
  let found: string;
  try {
    found = realpathSync(resolve(folder, path));
  } catch {
    throw new Error(`there is no file ${safeText(path)} in ${safeText(folder)}`);
  }
  const way = relative(folder, found);
  if (way.startsWith("..") || isAbsolute(way)) {
    throw new Error(`${safeText(path)} is outside of ${safeText(folder)}, and is not read`);
  }
  if (!statSync(found).isFile()) throw new Error(`${safeText(path)} is not a file`);
  return found;
}

/** Returns the words of a command: quoted text is one word, and a backslash takes the next character literally. */
function commandWords(command: string): readonly string[] {
  const words = command.match(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /\\([\s\S])|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'/g,
      (_, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\([\s\S])/g, "$1") ?? single ?? "",
    ),
  );
}
