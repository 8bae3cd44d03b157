const PATH = "[path]";

const source = (text: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw(text, ...parts);

const anyCase = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

const DRIVE = source`(?<![A-Za-z])[A-Za-z]:`;
/** The beginning of a network or device path, with its backslashes doubled or not. */
const UNC = source`\\{2,8}[\w.?$-]+\\{1,8}(?:[A-Za-z]:\\{1,8})?(?=\S)`;
/** A URL of a file: one that says so, or that names no host. */
const LOCAL = source`[\w+.-]{0,30}(?:${anyCase("file|unix|sqlite")}\d?):(?=[\\/])|[\w+.-]{2,30}:(?=\/\/\/)`;
/**
 * Where a slash begins a path: not within a word, a relative path or a pattern, but behind a compiler's
 * option, an escape of a line end, or a full stop.
 */
const ROOT = source`(?:(?<![\w/*])(?<!(?<![\w.])\.{1,2})|(?<=\\[nrt])|(?<=(?<!\w)-[A-Za-z]))\/`;

const QUOTE = "\"'`“”‘’«»";
const APOSTROPHE = source`(?<=\w)['’](?=\w)`;
const CHAR = source`(?:[^\s${QUOTE}<>|]|['’](?=\w))`;
/** What is written with a slash, and is no part of a path. */
const PHRASE = source`(?!(?:and\/or|${anyCase("i/o|n/a")}|(?:application|audio|image|multipart|text|video)\/\S*)\b)`;
/** The rest of a path whose names have a space in them, as far as the next slash tells. */
const SPACED = source`(?:(?<![:;,.!?]) (?:[A-Z\d(&-][^\s/"']* ){0,3}${PHRASE}[^\s/"':]+\/${CHAR}*)`;
const SLASHED = source`${CHAR}*${SPACED}*`;
/** No name in Windows has one of these characters, so a path goes on up to its last backslash. */
const NAMED = source`(?:(?![\s(]\\\\)[^\n${QUOTE}<>|?*:]|${APOSTROPHE})`;
const BACKSLASHED = source`(?:${NAMED}*\\)?(?:[^\s${QUOTE}<>|]|${APOSTROPHE})*`;

const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ...[`"`, "'", "`"].map((quote) => [quote, quote] as const),
  ["“", "”"],
  ["‘", "’"],
  ["«", "»"],
];
const BEGINS = source`(?:${DRIVE}[\\/]|${UNC}|\\?\/[^\s/]|${LOCAL})`;
/** Text in quotes, spaces and all; a quote with a letter behind it is an apostrophe. */
const QUOTED = QUOTES.map(
  ([open, close]) => source`${open}(?=${BEGINS})(?:(?!${close}(?!\w))[^\n]){1,1000}${close}(?!\w)`,
);
/** Text in parentheses that ends as a path does, as the places in lines of a stack. */
const ENDING = source`(?:[\\/][^\s\\/()]*|\.\w{1,5}(?::\d+)*)`;
const ENCLOSED = source`\((?=${BEGINS})(?:[^()\n]|\([^()\n]*\)){1,1000}?(?=\))(?<=${ENDING})\)`;

const TOKEN = new RegExp(
  [
    `(?<quoted>${QUOTED.join("|")})`,
    `(?<enclosed>${ENCLOSED})`,
    `(?<file>(?:(?<!\\w)(?:${LOCAL})|${DRIVE}(?=/))${SLASHED}|(?:${DRIVE}\\\\|${UNC})${BACKSLASHED})`,
    source`(?<url>(?<![A-Za-z\d])[A-Za-z][A-Za-z\d+.-]{1,20}:\/\/(?:(?![,;:]\/[^/])[^\s"'${"`"}<>()])+)`,
    `(?<bare>${ROOT}${CHAR}+)(?<spaced>${SPACED}*)`,
  ].join("|"),
  "g",
);
/** Paths that are values in a URL, encoded or not. */
const IN_QUERY =
  /(?<==)(?:(?:\/|%2f)[^&#\s]+?(?:\/|%2f)|[a-z](?::|%3a)(?:[\\/]|%5c|%2f)|file:)[^&#\s]*/gi;
const TAIL = /[)\]}'",;:.!?]+$/;
/** What Node writes before the path in an error of the file system. */
const SYSTEM = /(?:, [a-z]+|->) $/;

/** Whether a path has a folder, or a name with an extension: a single word may be a route or a command. */
function tellsPlace(path: string): boolean {
  if (!/^\\?\//.test(path)) return true;
  const names = path.replace(TAIL, "").split("/").filter(Boolean);
  return names.length > 1 || /\.[a-z][\w-]*$/i.test(names[0] ?? "");
}

function withoutTail(text: string): string {
  return PATH + (TAIL.exec(text)?.[0] ?? "");
}

/** Colours of a terminal, which would stand between a path and what comes before it. */
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

/**
 * Text with absolute paths of files masked: POSIX, Windows and network paths and file URLs, in quotes,
 * parentheses or by themselves. URLs of other schemes stay, except for paths that are values in them. A
 * path with spaces that nothing encloses ends behind the last slash that seems to belong to it.
 */
export function maskPaths(text: string): string {
  return text.replace(COLOURS, "").replace(TOKEN, (token: string, ...rest: unknown[]) => {
    const [offset, whole, groups] = rest.slice(-3) as [number, string, Record<string, string>];
    const { quoted, enclosed, file, url, bare } = groups;
    if (file !== undefined) return withoutTail(file);
    if (url !== undefined) return url.replace(IN_QUERY, PATH);
    if (bare !== undefined) return tellsPlace(bare) ? withoutTail(token) : token;
    const inner = token.slice(1, -1);
    const isPath =
      tellsPlace(inner) ||
      (quoted !== undefined && SYSTEM.test(whole.slice(Math.max(0, offset - 40), offset)));
    if (!isPath) return token;
    // In JSON text within a text the quotes have a backslash each.
    const backslash = enclosed === undefined && inner.endsWith("\\") ? "\\" : "";
    return token[0] + PATH + backslash + token.at(-1);
  });
}
