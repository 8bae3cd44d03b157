import { basename } from "node:path";
import { messageOf } from "@touchstone/core";
import type { GatewayConfig } from "../../config/config.ts";
import {
  DIRECTIONS,
  editModes,
  type ModeChange,
  type SettingsLevel,
  type WrittenModes,
  writtenModes,
} from "../../config/edit/modes.ts";
import { replaceFile } from "../../config/edit/replace-file.ts";
import { EditError } from "../../config/edit/tree.ts";
import { ConfigError } from "../../config/faults.ts";
import { readConfigFile } from "../../config/file.ts";
import { codeOf } from "../../util/errors.ts";
import { AdminError, type AdminErrorCode } from "./errors.ts";

/** The file that a configuration came from. */
export interface ConfigSource {
  readonly file: string;
  /**
   * Makes the configuration of a text, as it was made when the gateway was started.
   * @throws {ConfigError} with all faults, or another error where the text cannot be served
   */
  readonly load: (text: string) => GatewayConfig;
}

/**
 * Lets a configuration take effect. Gives what has changed; rejects where it is refused.
 * @param asked what was asked for, for the record of the change
 */
export type Apply = (config: GatewayConfig, asked: string) => Promise<readonly string[]>;

/** Why there is nothing to write to. */
export const NOT_EDITABLE: string =
  "The servers did not come from a configuration file of Touchstone's own, so there is no file to write to. Start touchstone serve with --config FILE, and without --servers.";

const NOTHING: WrittenModes = { at: () => ({}), has: () => false };

/** Changes the file that the configuration came from, and lets what it then says take effect. */
export class ConfigEditor {
  readonly #source: ConfigSource | undefined;
  readonly #apply: Apply;
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: ConfigSource | undefined, apply: Apply) {
    this.#source = source;
    this.#apply = apply;
  }

  /** The file's name without its directory; undefined where it cannot be edited. */
  get file(): string | undefined {
    return this.#source && basename(this.#source.file);
  }

  /** What the file says at the moment; nothing where it cannot be read. */
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
   * Sets modes in the file and lets the whole file take effect. What others have written into it since
   * it was loaded stays, and takes effect as well. One change is made after the other.
   * @returns what has changed, one line each
   * @throws {AdminError} the file and the settings that hold are then as they were
   */
  changeModes(level: SettingsLevel, change: ModeChange): Promise<readonly string[]> {
    const changed = this.#last.then(() => this.#change(level, change));
    this.#last = changed.catch(() => {});
    return changed;
  }

  async #change(level: SettingsLevel, change: ModeChange): Promise<readonly string[]> {
    const source = this.#source;
    if (source === undefined) throw new AdminError("NOT_EDITABLE", NOT_EDITABLE);
    const text = loading("CONFIG_INVALID", "The file on disk does not hold", () => {
      const current = readConfigFile(source.file);
      source.load(current);
      return current;
    });
    const { server } = level;
    if (server !== undefined && !writtenModes(text).has(server)) {
      throw new AdminError("NOT_FOUND", "The file on disk has no such server any more.");
    }
    const [edited, config] = loading("BAD_REQUEST", "The file would not hold", () => {
      const after = editModes(text, level, change);
      return [after, source.load(after)] as const;
    });
    // Nothing may come between these two: who watches the file would be first to tell of the change.
    if (edited !== text) writing(source.file, edited);
    return this.#apply(config, describe(level, change)).catch(async (error: unknown) => {
      const back = takenBack(source, text, edited);
      // It may have been refused after it took effect, because there could be no record of it.
      await this.#apply(back.config, "taken back").catch(() => {});
      throw new AdminError(
        "RELOAD_REFUSED",
        `The gateway cannot take what the file says: ${messageOf(error)}. ${back.told}`,
      );
    });
  }
}

/** Puts the file back, where nobody has written into it since, and gives what is to hold then. */
function takenBack(
  source: ConfigSource,
  before: string,
  edited: string,
): { readonly config: GatewayConfig; readonly told: string } {
  const config = source.load(before);
  try {
    const now = readConfigFile(source.file);
    // What somebody else has written may have taken effect already, and is not to be undone.
    if (now !== edited) {
      return { config: source.load(now), told: "The file is as somebody else has written it." };
    }
    if (edited !== before) writing(source.file, before);
    return { config, told: "The file is as it was." };
  } catch {
    return { config, told: "The file could not be put back; look at what it says." };
  }
}

/** As `input strict, output as above for read of files`. */
function describe({ server, tool }: SettingsLevel, change: ModeChange): string {
  const modes = DIRECTIONS.filter((direction) => change[direction] !== undefined).map(
    (direction) => `${direction} ${change[direction] ?? "as above"}`,
  );
  const of = server === undefined ? "" : ` for ${tool === undefined ? "" : `${tool} of `}${server}`;
  return modes.join(", ") + of;
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
