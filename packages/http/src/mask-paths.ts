import { hostRoots, ownFolders } from "./host-folders.ts";

const PATH = "[path]";

const source = (text: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(text, ...parts);

const anyCase = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

const DRIVE = source`(?<![A-Za-z])[A-Za-z]:`;
/** The beginning of a network or device path, with its backslashes doubled or not. */
const UNC = source`\\{2,8}[\w.?$-]+\\{1,8}(?:[A-Za-z]:\\{1,8})?(?=\S)`;
/** A URL of a file: one with the scheme `file`, or one without a host. */
const LOCAL = source`[\w+.-]{0,30}(?:${anyCase("file|unix|sqlite")}\d?):(?=[\\/])|[\w+.-]{2,30}:(?=\/\/\/)`;
/**
 * Matches where a slash begins a path: not inside a word, a relative path, a pattern or a template, but also after a
 * compiler's option, an escaped line end, or a full stop.
 */
const ROOT = source`(?:(?<![\w/*}~$])(?<!(?<![\w.])\.{1,2})|(?<=\\[nrt])|(?<=(?<![\w-])-[A-Za-z]))\/`;

const QUOTE = "\"'`“”‘’«»";
const APOSTROPHE = source`(?<=\w)['’](?=\w)`;
const CHAR = source`(?:[^\s${QUOTE}<>|]|['’](?=\w))`;
/** Texts with a slash that are not part of a path. */
const PHRASE = source`(?!(?:and\/or|${anyCase("i/o|n/a")}|(?:application|audio|image|multipart|text|video)\/\S*)\b)`;
/** The rest of a path whose names contain a space, judged by the next slash. */
const SPACED = source`(?:(?<![:;,.!?]) (?:[A-Z\d(&-][^\s/"']* ){0,3}${PHRASE}[^\s/"':]+\/${CHAR}*)`;
const SLASHED = source`${CHAR}*${SPACED}*`;
/** No name in Windows has one of these characters, so a path continues up to its last backslash. */
const NAMED = source`(?:(?![\s(]\\\\)[^\n${QUOTE}<>|?*:]|${APOSTROPHE})`;
const BACKSLASHED = source`(?:${NAMED}*\\)?(?:[^\s${QUOTE}<>|]|${APOSTROPHE})*`;

const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ...[`"`, "'", "`"].map((quote) => [quote, quote] as const),
  ["“", "”"],
  ["‘", "’"],
  ["«", "»"],
];
/** Matches the place where Node.js names the file in an error of the file system, in whichever folder the file is. */
const SYSTEM = source`(?<=\bE[A-Z\d]{2,19}: [^'"\n]{1,80}, [a-z]{1,20} (?:'[^'\n]{1,500}' -> )?)`;
/** Text in parentheses that ends like a path, as in lines of a stack. */
const ENDING = source`(?:[\\/][^\s\\/()]*|\.\w{1,5}(?::\d+)*)`;

interface Patterns {
  readonly token: RegExp;
  /** Paths that are values in a URL, encoded or not. */
  readonly inQuery: RegExp;
}

function patternsFor(own: readonly string[]): Patterns {
  const roots = source`\/*(?:${hostRoots(own)}|(?<=\/\/)[\w.-]+\/(?=\w))`;
  const begins = source`(?:${DRIVE}[\\/]|${UNC}|\\?\/${roots}|${LOCAL})`;
  // Text in quotes, including spaces; a quote before a letter is an apostrophe.
  const quoted = QUOTES.map(
    ([open, close]) =>
      source`${open}(?:(?=${begins})|(?=\/[^\s/])(?<=${SYSTEM}${open}))(?:(?!${close}(?!\w))[^\n]){1,1000}${close}(?!\w)`,
  );
  const enclosed = source`\((?=${begins})(?:[^()\n]|\([^()\n]*\)){1,1000}?(?=\))(?<=${ENDING})\)`;
  const token = [
    `(?<quoted>${quoted.join("|")})`,
    `(?<enclosed>${enclosed})`,
    `(?<file>(?:(?<!\\w)(?:${LOCAL})|${DRIVE}(?=/))${SLASHED}|(?:${DRIVE}\\\\|${UNC})${BACKSLASHED})`,
    source`(?<url>(?<![A-Za-z\d])[A-Za-z][A-Za-z\d+.-]{1,20}:\/\/(?:(?![,;:]\/[^/])[^\s"'${"`"}<>()])+)`,
    `(?<bare>${ROOT}${roots}${CHAR}*)(?<spaced>${SPACED}*)`,
  ];
  const slash = source`(?:\/|%2f)`;
  const inQuery = source`(?<==)(?:${slash}${hostRoots(own).replaceAll(source`\/`, slash)}|[a-z](?::|%3a)(?:[\\/]|%5c|%2f)|file:)[^&#\s]*`;
  return { token: new RegExp(token.join("|"), "g"), inQuery: new RegExp(inQuery, "gi") };
}

let known: { readonly key: string; readonly patterns: Patterns } | undefined;

/** Returns the patterns, which are the same for every call unless the process changes its working directory. */
function patterns(own: readonly string[]): Patterns {
  const key = own.join("\n");
  if (known?.key !== key) known = { key, patterns: patternsFor(own) };
  return known.patterns;
}

const TAIL = /[)\]}'",;:.!?]+$/;

function withoutTail(text: string): string {
  return PATH + (TAIL.exec(text)?.[0] ?? "");
}

/** Colors of a terminal, which may be between a path and what precedes it. */
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

/**
 * Masks absolute paths of files in a text: POSIX, Windows and network paths and file URLs, in quotes, parentheses or
 * alone. POSIX paths count if they are in a folder at a host's root, or in one of the process: JSON Pointers and
 * routes stay. URLs of other schemes stay, except for paths that are values in them. A path with spaces and without
 * delimiters ends after the last slash that seems to belong to it.
 * @param own absolute paths of the process's own folders
 */
export function maskPaths(text: string, own: readonly string[] = ownFolders()): string {
  const { token, inQuery } = patterns(own);
  return text.replace(COLOURS, "").replace(token, (found: string, ...rest: unknown[]) => {
    const { quoted, enclosed, file, url } = rest.at(-1) as Record<string, string | undefined>;
    if (file !== undefined) return withoutTail(file);
    if (url !== undefined) return url.replace(inQuery, PATH);
    if (quoted === undefined && enclosed === undefined) return withoutTail(found);
    // In a JSON text inside a string, each quote has a backslash.
    const backslash = enclosed === undefined && found.at(-2) === "\\" ? "\\" : "";
    return found[0] + PATH + backslash + found.at(-1);
  });
}
