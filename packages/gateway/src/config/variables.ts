// biome-ignore-all lint/suspicious/noTemplateCurlyInString: messages show ${NAME} as it is written
import { resolve as resolvePath } from "node:path";
import { rememberSecret } from "@touchstone/util";
import { isJsonObject, type JsonObject, type JsonValue, type Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";
import { quote } from "./faults.ts";
import { readSecretFile } from "./secret-file.ts";

/** Variables by their names, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface VariableOptions {
  readonly env: Environment;
  /** Also read `${env:NAME}`, the form of VS Code and Cursor. */
  readonly editorForms: boolean;
  /** The folder that relative paths of `${file:PATH}` start from: that of the configuration. */
  readonly folder: string;
  /** Values that stay unchanged. */
  readonly skip: (path: Path) => boolean;
}

const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const FORMS = `write \${NAME}, \${NAME:-default} or \${file:PATH}, or $\${ for a literal \${`;
/** How much text references may add to one configuration, in UTF-16 code units. */
const MAX_TEXT = 4 * 1024 * 1024;
/** How many files one configuration may name: each is read at once. */
const MAX_FILES = 100;
const TOO_LONG = `the variables and files that this file refers to add more than ${MAX_TEXT / 1024 / 1024} MiB of text to it; refer to fewer or shorter ones`;
const FILE = "file:";

/** An object with its references replaced. */
export interface Substituted {
  readonly value: JsonObject;
  /** The files that were named, also those that cannot be read. */
  readonly files: readonly string[];
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string value; the default applies if the variable is unset or
 * empty, as in a POSIX shell (XCU 2.6.2). `${file:PATH}` becomes the text of a file, a secret that
 * {@link rememberSecret} hides from then on. `$${` becomes a literal `${`. Substituted text is not substituted again.
 * Keys stay unchanged. References that would add more than 4 MiB of text in all are a fault, and stay as they are.
 */
export function substitute(
  object: JsonObject,
  faults: FaultList,
  options: VariableOptions,
): Substituted {
  const files: Files = new Map();
  let room = MAX_TEXT;
  const inObject = (members: JsonObject, path: Path): JsonObject => {
    const entries = Object.entries(members);
    return Object.fromEntries(entries.map(([key, value]) => [key, visit(value, [...path, key])]));
  };
  const visit = (value: JsonValue, path: Path): JsonValue => {
    if (options.skip(path)) return value;
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (isJsonObject(value)) return inObject(value, path);
    if (typeof value !== "string") return value;
    return replaceReferences(value, (inside) => {
      // After this fault, the file is refused anyway.
      if (room < 0) return undefined;
      const text =
        inside?.startsWith(FILE) === true
          ? fileText(inside.slice(FILE.length), path, faults, { ...options, files })
          : resolve(inside, path, faults, options);
      room -= text?.length ?? 0;
      if (room >= 0) return text;
      faults.add("INVALID_VARIABLE", path, TOO_LONG);
      return undefined;
    });
  };
  return { value: inObject(object, []), files: [...files.keys()] };
}

/** The results of reading files, by path. */
type Files = Map<string, ReturnType<typeof readSecretFile>>;

/** Returns the text of a file; undefined after a fault. */
function fileText(
  name: string,
  path: Path,
  faults: FaultList,
  { folder, files }: Pick<VariableOptions, "folder"> & { readonly files: Files },
): string | undefined {
  if (name === "" || name.includes("\0")) {
    faults.add("INVALID_VARIABLE", path, "${file:…} needs the path of a file");
    return undefined;
  }
  const file = resolvePath(folder, name);
  if (!files.has(file)) {
    if (files.size >= MAX_FILES) {
      faults.add("INVALID_VARIABLE", path, `more than ${MAX_FILES} files are named by \${file:…}`);
      return undefined;
    }
    files.set(file, readSecretFile(file));
  }
  const read = files.get(file);
  if (read === undefined || "fault" in read) {
    const message = `the file ${quote(name)} of \${file:…} ${read?.fault}`;
    faults.add("UNREADABLE_VARIABLE", path, message);
    return undefined;
  }
  rememberSecret(read.text);
  return read.text;
}

/** A text as written, with its references, for people to view, and whether it has any. */
export interface TextWithReferences {
  readonly text: string;
  readonly refers: boolean;
}

/** Returns a text with its references as `${NAME}` and `${file:PATH}`, without defaults. */
export function withReferences(written: string): TextWithReferences {
  let refers = false;
  const text = replaceReferences(written, (inside = "") => {
    const name = inside.startsWith(FILE) ? inside : VARIABLE.exec(inside.replace(/^env:/, ""))?.[1];
    refers ||= name !== undefined;
    return name === undefined ? undefined : `\${${name}}`;
  });
  return { text, refers };
}

/** One pass: each "${" is closed by the next "}", or by nothing. */
function replaceReferences(
  text: string,
  replacement: (inside: string | undefined) => string | undefined,
): string {
  let result = "";
  let from = 0;
  let closed = true;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", from)) {
    if (at > from && text[at - 1] === "$") {
      result += text.slice(from, at - 1);
      result += "${";
      from = at + 2;
      continue;
    }
    const end: number = closed ? text.indexOf("}", at) : -1;
    closed = end !== -1;
    const next = closed ? end + 1 : at + 2;
    const value = replacement(closed ? text.slice(at + 2, end) : undefined);
    result += text.slice(from, at) + (value ?? text.slice(at, next));
    from = next;
  }
  return result + text.slice(from);
}

const BY_PATH = "write the path itself";
const BY_VARIABLE = "put the value into the environment and write ${NAME}";
/**
 * Variables of editors and bundles, with what to write instead: VS Code's
 * (https://code.visualstudio.com/docs/reference/variables-reference), which Cursor has too, those of MCPB bundles,
 * and those of Claude Code's plugins.
 */
const EDITORS: readonly (readonly [form: RegExp, remedy: string])[] = [
  [
    /^(workspaceFolder|workspaceRoot|cwd|fileWorkspaceFolder)/,
    `only an editor knows it; ${BY_PATH}`,
  ],
  [/^(file|relativeFile)(?=$|[A-Z])/, `only an editor knows it; ${BY_PATH}`],
  [/^(userHome)$/, "only an editor knows it; write ${HOME}"],
  [/^(pathSeparator|\/)$/, "only an editor knows it; write the separator itself"],
  [/^(env:)/, "that is an editor's form; write ${NAME}"],
  [/^(input:)/, `only an editor can ask for it; ${BY_VARIABLE}`],
  [/^(config:|command:)/, "only an editor knows it; write the value itself"],
  [/^(__dirname)$/, `only an MCPB bundle has it; ${BY_PATH}`],
  [/^(user_config\.)/, `only an MCPB bundle has it; ${BY_VARIABLE}`],
  [/^(CLAUDE_PLUGIN_ROOT)$/, `only a plugin of Claude Code has it; ${BY_PATH}`],
];

/** Returns what to write instead of a variable of another program. It shows only the kind, never what follows. */
function editorHint(inside: string): string | undefined {
  for (const [form, remedy] of EDITORS) {
    const kind = form.exec(inside)?.[1];
    if (kind !== undefined) return `\${${kind}${/[:.]$/.test(kind) ? "…" : ""}}: ${remedy}`;
  }
  return undefined;
}

/** Returns the value of a reference; undefined after a fault, or if the reference has no end. */
function resolve(
  inside: string | undefined,
  path: Path,
  faults: FaultList,
  { env, editorForms }: VariableOptions,
): string | undefined {
  const expression = editorForms ? inside?.replace(/^env:/, "") : inside;
  const editors = editorHint(expression ?? "");
  const parts = VARIABLE.exec(expression ?? "");
  if (parts === null) {
    if (editorForms && inside?.startsWith("input:")) {
      const input = quote(inside.slice("input:".length));
      const message = `the editor asks for the input ${input}, which cannot be asked for here; put the value into the environment and write \${NAME}`;
      faults.add("INVALID_VARIABLE", path, message);
    } else {
      // The message shows only the form: the text after "${" may be part of a password.
      const what = editors ?? `"\${" does not begin a reference to a variable; ${FORMS}`;
      faults.add("INVALID_VARIABLE", path, what);
    }
    return undefined;
  }
  const [, name = "", fallback] = parts;
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
  if (value !== undefined) return value;
  const shown = name.slice(0, 64);
  const message =
    editors ??
    `the environment variable ${shown} is not set; set it, or give a default: \${${shown}:-default}`;
  faults.add("UNSET_VARIABLE", path, message);
  return undefined;
}
