import { createHash } from "node:crypto";
import { basename } from "node:path";
import { messageOf } from "@touchstone/core/advanced";
import { type Author, nextId } from "@touchstone/records/plain";
import { codeOf } from "@touchstone/util";
import type { GatewayConfig } from "../../config/config.ts";
import type { JsonObject } from "../../config/document.ts";
import {
  type ConfigChange,
  changesAsObject,
  editText,
  inverseChanges,
  valuesIn,
} from "../../config/edit/changes.ts";
import { type SettingsLevel, type WrittenModes, writtenModes } from "../../config/edit/modes.ts";
import { replaceFile } from "../../config/edit/replace-file.ts";
import { redactedDiff } from "../../config/edit/shown-diff.ts";
import { EditError } from "../../config/edit/tree.ts";
import { writeFault } from "../../config/edit/writable.ts";
import { ConfigError } from "../../config/faults.ts";
import { readConfigFile } from "../../config/file.ts";
import type { ConfigEditResult, ConfigProposal } from "../api/schemas.ts";
import type { EditResult } from "./actions.ts";
import { AdminError, type AdminErrorCode } from "./errors.ts";
import { overriddenSettings } from "./overridden.ts";

/** The file of a configuration. */
export interface ConfigSource {
  readonly file: string;
  /**
   * Makes the configuration from a text, as at the start of the gateway.
   * @throws {ConfigError} with all faults, or another error if the text cannot be served
   */
  readonly load: (text: string) => GatewayConfig;
  /** Whether `touchstone wrap` reads this file as well. */
  readonly wraps?: boolean;
}

/**
 * Applies a configuration. Resolves to the changes; rejects if the configuration is refused.
 * @param asked the requested change, for the record
 * @param author who asked
 */
export type ApplyConfig = (
  config: GatewayConfig,
  asked: string,
  author: Author,
) => Promise<readonly string[]>;

/** Why there is no file to write. */
const NOT_EDITABLE: string =
  "The servers did not come from a configuration file of Touchstone's own, so there is no file to write to. Start touchstone serve with --config FILE, and without --servers.";

const NOTHING: WrittenModes = { at: () => ({}), has: () => false };
/** How many edits can be undone; the oldest ones are dropped first. */
const MAX_EDITS = 50;
/** The file to write by hand if there is none. */
const USUAL_FILE = "touchstone.json";

/** An edit that can be undone. */
interface Done {
  readonly edit: EditResult;
  readonly before: string;
  readonly after: string;
}

/** Changes the configuration's file, and applies it. */
export class ConfigEditor {
  readonly #source: ConfigSource | undefined;
  readonly #apply: ApplyConfig;
  readonly #done: Map<string, Done> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /** Why there is no file that can be edited, if there is none. */
  readonly notEditable: string;

  constructor(
    source: ConfigSource | undefined,
    apply: ApplyConfig,
    notEditable: string = NOT_EDITABLE,
  ) {
    this.#source = source;
    this.#apply = apply;
    this.notEditable = notEditable;
  }

  /** The file's name without its directory; undefined if it cannot be edited. */
  get file(): string | undefined {
    return this.#source && basename(this.#source.file);
  }

  /** Returns the current text of the file; empty if it cannot be read. */
  written(): WrittenModes {
    if (this.#source === undefined) return NOTHING;
    try {
      return writtenModes(readConfigFile(this.#source.file));
    } catch (error) {
      if (error instanceof ConfigError) return NOTHING;
      throw error;
    }
  }

  /**
   * Returns what an edit would change, without writing.
   * @param blocked why the file must not be written, if so
   */
  propose(edit: EditResult, blocked: string | undefined): ConfigProposal {
    const source = this.#source;
    const paste = {
      file: source === undefined ? USUAL_FILE : basename(source.file),
      text: `${JSON.stringify(changesAsObject(edit.changes), null, 2)}\n`,
    };
    if (source === undefined) {
      const none = { file: null, hash: null, diff: "", writable: false };
      return { ...none, reason: this.notEditable, paste };
    }
    const text = currentText(source);
    const reason = blocked ?? notWritable(source.file);
    const file = basename(source.file);
    const [edited] = editedText(source, text, edit.changes);
    const diff = redactedDiff(file, text, edited, edit.changes);
    const found = { file, hash: hashOf(text), diff, writable: reason === undefined };
    return reason === undefined ? found : { ...found, reason, paste };
  }

  /**
   * Makes an edit.
   * @param hash of the text for which the edit was proposed
   * @throws {AdminError} `CONFIG_CHANGED` with the new diff if the text has changed since
   */
  apply(edit: EditResult, hash: string, author: Author): Promise<ConfigEditResult> {
    return this.#alone(async () => {
      const source = this.editable();
      const text = currentText(source);
      const file = basename(source.file);
      if (hashOf(text) !== hash) {
        const [edited] = editedText(source, text, edit.changes);
        throw new AdminError(
          "CONFIG_CHANGED",
          `${file} has been changed since this edit was shown, so nothing was written. Look at the new difference.`,
          { more: { hash: hashOf(text), diff: redactedDiff(file, text, edited, edit.changes) } },
        );
      }
      const { after, ...applied } = await this.#write(source, text, edit.changes, {
        told: edit.told,
        author,
      });
      const id = nextId(new Date());
      this.#done.set(id, { edit, before: text, after });
      for (const [oldest] of this.#done) {
        if (this.#done.size <= MAX_EDITS) break;
        this.#done.delete(oldest);
      }
      const diff = redactedDiff(file, text, after, edit.changes);
      return { id, hash: hashOf(after), diff, ...applied };
    });
  }

  /** Returns the edit with an id, to see who may undo it; undefined if it is gone. */
  done(id: string): EditResult | undefined {
    return this.#done.get(id)?.edit;
  }

  /**
   * Undoes an edit, but not what others have written since.
   * @throws {AdminError} `NOT_FOUND`, `CONFIG_CHANGED` if a value that it set has changed since
   */
  undo(id: string, author: Author): Promise<ConfigEditResult> {
    return this.#alone(async () => {
      const source = this.editable();
      const done = this.#done.get(id);
      if (done === undefined) throw unknownEdit();
      const text = currentText(source);
      const file = basename(source.file);
      const changes = inverseChanges(done.edit.changes, done.before, text);
      if (changes === undefined) {
        throw new AdminError(
          "CONFIG_CHANGED",
          `${file} has changed where this edit was made, so the edit was not undone. Change it by hand.`,
        );
      }
      const whole = text === done.after ? done.before : undefined;
      const told = `undone: ${done.edit.told}`;
      const { after, ...applied } = await this.#write(
        source,
        text,
        changes,
        { told, author },
        whole,
      );
      this.#done.delete(id);
      return {
        id,
        hash: hashOf(after),
        diff: redactedDiff(file, text, after, changes),
        ...applied,
      };
    });
  }

  /**
   * Sets modes in the file and applies the whole file. What others have written since it was loaded stays, and takes
   * effect as well. Changes are made one after the other.
   * @returns what has changed, one line each
   * @throws {AdminError} the file and the settings in force are unchanged then
   */
  changeModes(
    { server }: SettingsLevel,
    { changes, told }: EditResult,
    author: Author,
  ): Promise<readonly string[]> {
    return this.#alone(async () => {
      const source = this.editable();
      const text = currentText(source);
      if (server !== undefined && !writtenModes(text).has(server)) {
        throw new AdminError("NOT_FOUND", "The file on disk has no such server anymore.");
      }
      return (await this.#write(source, text, changes, { told, author })).changes;
    });
  }

  /**
   * Returns the file, if there is one.
   * @throws {AdminError} `NOT_EDITABLE`
   */
  editable(): ConfigSource {
    if (this.#source === undefined) throw new AdminError("NOT_EDITABLE", this.notEditable);
    return this.#source;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const made = this.#last.then(work);
    this.#last = made.catch(() => {});
    return made;
  }

  /** @param whole the text to write, if it is not just the result of the changes */
  async #write(
    source: ConfigSource,
    text: string,
    changes: readonly ConfigChange[],
    { told, author }: { readonly told: string; readonly author: Author },
    whole?: string,
  ): Promise<Pick<ConfigEditResult, "changes" | "overridden"> & { readonly after: string }> {
    const [after, config] =
      whole === undefined
        ? editedText(source, text, changes)
        : ([
            whole,
            loading("BAD_REQUEST", "The file would be invalid", () => source.load(whole)),
          ] as const);
    // Nothing may come between these two lines: otherwise the watcher of the file would report the change first.
    if (after !== text) writing(source.file, after);
    const applied = await this.#apply(config, told, author).catch(async (error: unknown) => {
      const back = takenBack(source, text, after);
      // The change may have been refused after it took effect, because it could not be recorded.
      await this.#apply(back.config, "undone", author).catch(() => {});
      throw new AdminError(
        "RELOAD_REFUSED",
        `The gateway cannot apply the file: ${messageOf(error)}. ${back.told}`,
      );
    });
    return { after, changes: applied, overridden: overriddenSettings(changes, config, after) };
  }
}

/** Returns the error for an edit that does not exist, or is too old. */
export function unknownEdit(): AdminError {
  return new AdminError(
    "NOT_FOUND",
    "The edit cannot be undone: it was undone already, or the gateway was restarted.",
  );
}

/** Returns the servers that a text adds. */
export function serverEntryIn(text: string, server: string): JsonObject | undefined {
  const entry = valuesIn(text)(["mcpServers", server]);
  return typeof entry === "object" && entry !== null && !Array.isArray(entry)
    ? (entry as JsonObject)
    : undefined;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Returns the text on disk, which must be valid. */
function currentText(source: ConfigSource): string {
  return loading("CONFIG_INVALID", "The file on disk is invalid", () => {
    const current = readConfigFile(source.file);
    source.load(current);
    return current;
  });
}

function editedText(
  source: ConfigSource,
  text: string,
  changes: readonly ConfigChange[],
): readonly [text: string, config: GatewayConfig] {
  return loading("BAD_REQUEST", "The file would be invalid", () => {
    const after = editText(text, changes);
    return [after, source.load(after)];
  });
}

/** Returns why a file cannot be replaced: it is mounted read-only, or its directory belongs to another user. */
function notWritable(file: string): string | undefined {
  const code = writeFault(file);
  return code === undefined
    ? undefined
    : `${basename(file)} cannot be written (${code}). Add these lines to it by hand, or to the source that it is made from.`;
}
/** Restores the file, unless others have changed it since. Returns the text to apply. */
function takenBack(
  source: ConfigSource,
  before: string,
  edited: string,
): { readonly config: GatewayConfig; readonly told: string } {
  const config = source.load(before);
  try {
    const now = readConfigFile(source.file);
    // Another user's text may have taken effect already, and must stay.
    if (now !== edited) {
      return { config: source.load(now), told: "Somebody else has changed the file." };
    }
    if (edited !== before) writing(source.file, before);
    return { config, told: "The file is unchanged." };
  } catch {
    return { config, told: "The file could not be restored; check what it contains." };
  }
}

function loading<T>(code: AdminErrorCode, what: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    const detail = error instanceof ConfigError ? { faults: error.faults } : {};
    if (error instanceof EditError) throw new AdminError(code, `${what}: ${error.message}.`);
    throw new AdminError(code, `${what}, so nothing was written: ${messageOf(error)}`, detail);
  }
}

function writing(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (error) {
    const code = codeOf(error) || "unknown error";
    throw new AdminError(
      "WRITE_FAILED",
      `${basename(file)} cannot be replaced (${code}), so nothing has changed. The gateway must be able to write to its directory.`,
    );
  }
}
