import { quote, wordList } from "../json/quote.ts";
import { isObject } from "../json/value.ts";
import { toNfkc } from "../text/fold.ts";
import { type Keyword, keyword } from "./keyword.ts";
import {
  type EvaluationRun,
  type KeywordCheck,
  placeBelow,
  reportFailure,
  spendSteps,
  textCost,
  type ValuePlace,
} from "./run.ts";
import { type KeywordShape, namesAt, type SchemaReader } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly within?: Within;
  }
}

/** A folder that `within` allows, split into its parts. */
export interface AllowedFolder {
  /** The drive with its colon, in upper case; empty for a POSIX path. */
  readonly drive: string;
  /** The names from the root to it. */
  readonly names: readonly string[];
}

/** The value of `within`. */
export interface Within {
  /** As written by the author. */
  readonly written: readonly string[];
  readonly folders: readonly AllowedFolder[];
  /** Whether paths with a drive are compared without regard to the case of A to Z. */
  readonly ignoreCase: boolean;
}

/** No system accepts a longer path: Windows has the highest limit. */
const MAX_PATH = 32_767;
/** The maximum number of a keyword's texts that a message lists. */
export const MAX_LISTED = 12;

/** Control characters, which some programs drop or treat as the end of a path, and halves of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Cs}]/u;
/** `%u002e`, which old Microsoft servers decode. */
const OTHER_ESCAPE = /%u[0-9a-f]{4}/i;
const FILE_URL = /^file:\/\/(?:localhost)?(\/[^?#]*)$/i;
const DRIVE = /^([a-z]:)[/\\]/i;

/** Characters that Windows names cannot contain; `:` begins a stream, and some of the others are wildcards. */
const NOT_IN_WINDOWS = /[<>:"|?*]|[. ]$/;
/** Names of devices, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;
/**
 * Dots and spaces that a program may trim to `..` or to nothing, if only a parameter, a query or a stream follows.
 */
const DOTTED = /^(?:\s|[.\s]{2,})(?:[;?#:].*)?$/s;

/** Characters that conversions to older character sets turn into a separator or a dot, in addition to NFKC. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["\u2044", "/"],
  ["\u2215", "/"],
  ["\u29f8", "/"],
  ["\u2571", "/"],
  ["\u2216", "\\"],
  ["\u29f5", "\\"],
  ["\u29f9", "\\"],
  ["\u00a5", "\\"],
  ["\u20a9", "\\"],
  ["\uffe5", "\\"],
  ["\uffe6", "\\"],
  ["\u3002", "."],
  ["\uff61", "."],
  ["\u00b7", "."],
]);
/** Characters that may become a separator or a dot, or vanish. Letters never do, except for the Hangul fillers. */
const MASKS = /[^\0-\u007f\p{L}\p{Nd}]|[\u115f\u1160\u3164\uffa0]/gu;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
const STRUCTURE = /[./\\]/;

/** Replaces characters that may become separators or dots. */
function unmasked(text: string): string {
  return text.replace(MASKS, (character) => {
    const other = LOOKALIKES.get(character);
    if (other !== undefined) return other;
    if (IGNORABLE.test(character)) return "";
    const normal = toNfkc(character);
    return STRUCTURE.test(normal) ? normal : character;
  });
}

/** Decodes percent-encoding once (RFC 3986, section 2.1). Returns undefined if it is not UTF-8. */
function decoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeURIComponent(run));
  } catch {
    return undefined;
  }
}

/** A path, split into its parts. */
interface Route {
  readonly drive: string;
  readonly parts: readonly string[];
  readonly isUrl: boolean;
}

/** Creates the check of a keyword for a text, or for each item of an array. All other values fail. */
export function textOrItemsCheck(
  check: (run: EvaluationRun, value: unknown, place: ValuePlace | undefined) => boolean,
): KeywordCheck {
  return (run, value, place) => {
    if (!Array.isArray(value)) return check(run, value, place);
    let valid = true;
    for (const [i, item] of value.entries()) {
      spendSteps(run, 1);
      if (check(run, item, placeBelow(run, place, i))) continue;
      if (run.report === undefined) return false;
      valid = false;
    }
    return valid;
  };
}

/**
 * Splits a text into its parts. Returns undefined unless it is an absolute path of one of the two kinds, or the file
 * URL of one.
 */
function routeOf(text: string): Route | undefined {
  if (text.length > MAX_PATH || CONTROL.test(text) || OTHER_ESCAPE.test(text)) return undefined;
  const once = decoded(text);
  if (once === undefined || CONTROL.test(once) || OTHER_ESCAPE.test(once)) return undefined;
  // If a second decoding changes it, it means something else to a program that decodes again.
  if (decoded(once) !== once) return undefined;
  const isUrl = /^file:/i.test(text);
  const located = isUrl ? FILE_URL.exec(text)?.[1] : text;
  if (located === undefined) return undefined;
  const path = isUrl && DRIVE.test(located.slice(1)) ? located.slice(1) : located;
  const drive = DRIVE.exec(path)?.[1];
  if (drive !== undefined) {
    return { drive: drive.toUpperCase(), parts: path.slice(3).split(/[/\\]/), isUrl };
  }
  // Two leading separators begin the name of another computer or of a device.
  if (!path.startsWith("/") || /^[/\\]{2}/.test(path)) return undefined;
  return { drive: "", parts: path.slice(1).split("/"), isUrl };
}

function isBadName(name: string, drive: string): boolean {
  if (name === "" || name === "." || name === "..") return false;
  if (DOTTED.test(name)) return true;
  return drive !== "" && (NOT_IN_WINDOWS.test(name) || DEVICE.test(name));
}

/** A part of a path, by how programs may read it. */
interface Part {
  /** Its name, if all programs read it the same way. */
  readonly name: string | undefined;
  /** If programs read the part differently: the maximum number of folders that it leads up. */
  readonly up: number;
  /** In that case, the minimum number of folders that it leads down. */
  readonly down: number;
}

/** Names that every program reads the same way. */
const SIMPLE = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/i;

/** Returns undefined if no path that stays inside a folder can contain such a part. */
function partOf(text: string, { drive, isUrl }: Route): Part | undefined {
  if (drive === "" && SIMPLE.test(text)) return { name: text, up: 0, down: 0 };
  const plain = decoded(text) ?? text;
  const names = unmasked(plain).split(/[/\\]/);
  if (names.some((name) => isBadName(name, drive))) return undefined;
  const [only = ""] = names;
  const isMasked = (only === "." || only === ".." || only === "") && only !== text;
  if (names.length === 1 && !isMasked && (isUrl || plain === text)) {
    return { name: plain, up: 0, down: 0 };
  }
  const up = names.filter((name) => name === "..").length;
  const isName = names.some((name) => name !== "" && name !== "." && name !== "..");
  return { name: undefined, up, down: up === 0 && isName ? 1 : 0 };
}

/** Returns whether the names begin with those of a folder. */
function isIn(names: readonly string[], drive: string, folder: AllowedFolder, fold: Fold): boolean {
  if (folder.drive !== drive || names.length < folder.names.length) return false;
  return folder.names.every((name, i) => fold(name) === fold(names[i] ?? ""));
}

type Fold = (name: string) => string;
const asIs: Fold = (name) => name;
/** Only ASCII: for other letters, it depends on the file system which ones are equal. */
const lower: Fold = (name) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Returns whether a text is an absolute path, or the file URL (RFC 8089) of one, that stays inside one of the
 * folders, however a program reads it: on POSIX or Windows, with or without decoding percent-encoding once, before or
 * after normalizing, with lookalikes of separators or dots treated as such. Looks at the text alone: where symbolic
 * links lead is not known here. Takes time in proportion to the text, up to 32,767 code units; a longer one is not
 * inside.
 */
export function isWithinFolders(
  text: string,
  { folders, ignoreCase }: Omit<Within, "written">,
): boolean {
  const route = routeOf(text);
  if (route === undefined) return false;
  const { drive, parts } = route;
  const fold = ignoreCase && drive !== "" ? lower : asIs;
  const names: string[] = [];
  let depth = 0;
  // Set from the first ambiguous part on: the path is inside by then and must not leave again.
  let least: number | undefined;
  for (const text of parts) {
    const part = partOf(text, route);
    if (part === undefined) return false;
    const { name, up, down } = part;
    if (name === undefined && least === undefined) {
      const around = folders.filter((folder) => isIn(names, drive, folder, fold));
      if (around.length === 0) return false;
      least = Math.min(...around.map((folder) => folder.names.length));
    }
    if (name === "" || name === ".") continue;
    depth = Math.max(0, depth + (name === undefined ? down - up : name === ".." ? -1 : 1));
    if (least !== undefined && depth < least) return false;
    if (least !== undefined) continue;
    names.length = Math.min(names.length, depth);
    if (name !== "..") names.push(name ?? "");
  }
  return least !== undefined || folders.some((folder) => isIn(names, drive, folder, fold));
}

/** Splits the path of a folder into its parts. Returns what is wrong if no path could be compared with it. */
export function parseFolder(text: string): AllowedFolder | string {
  const route = routeOf(text);
  if (text.startsWith("~")) return `must be an absolute path; for the home folder write "\${HOME}"`;
  if (route === undefined || route.isUrl) {
    return "must be an absolute path of a folder, such as /srv/notes or C:\\notes";
  }
  const names: string[] = [];
  for (const text of route.parts) {
    const name = partOf(text, route)?.name;
    if (name === undefined) {
      return `has the part ${quote(text)}, which programs read in different ways; use another folder`;
    }
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return { drive: route.drive, names };
}

const WITHIN: KeywordShape<Within> = {
  read(from, keyword) {
    const value = from.value(keyword);
    if (value === undefined) return undefined;
    const isLong = isObject(value);
    const tokens = isLong ? [keyword, "folders"] : [keyword];
    const written = namesAt(from, isLong ? value["folders"] : value, ...tokens);
    const ignoreCase = isLong && value["ignore_case"] === true;
    const folders = written.map((text, i) => readFolder(from, text, ...tokens, String(i)));
    return { written, folders, ignoreCase };
  },
  write: ({ written, ignoreCase }) =>
    ignoreCase ? { folders: [...written], ignore_case: true } : [...written],
};

function readFolder(from: SchemaReader, text: string, ...tokens: readonly string[]): AllowedFolder {
  const folder = parseFolder(text);
  if (typeof folder === "string") throw from.wrong(folder, ...tokens);
  return folder;
}

function listed(folders: unknown): string {
  const texts = Array.isArray(folders) ? folders.map((text) => quote(String(text), 120)) : [];
  return texts.length === 0 ? "no folder" : wordList(texts, MAX_LISTED);
}

/** Steps for each code unit of a path, which may be a separate part that is normalized on its own. */
const UNIT = 8;

/**
 * `within`, of the vocabulary `policy`: a path, or each path in an array, stays inside one of these folders. Any
 * other value fails.
 */
export const within: Keyword = keyword({
  name: "within",
  vocabulary: "policy",
  since: "2020-12",
  shape: WITHIN,
  appliesTo: "any",
  issueClass: "policy",
  explain: {
    received: "length",
    demand: ({ params }) => `must be an absolute path inside ${listed(params["folders"])}`,
  },
  compile: (node) => {
    const value = node.within;
    if (value === undefined) return undefined;
    const { written, folders } = value;
    const wording = () => ({
      message: `must be an absolute path inside ${listed(written)}`,
      params: { folders: written },
    });
    return textOrItemsCheck((run, item, place) => {
      if (typeof item === "string") {
        spendSteps(run, textCost(item) + UNIT * Math.min(item.length, MAX_PATH) + folders.length);
        if (isWithinFolders(item, value)) return true;
      }
      return reportFailure(run, node, "within", item, place, wording);
    });
  },
});
