import type { Schema } from "@touchstone/util/schema";
import type { NarrowSchema } from "./narrow/narrow-schema.ts";

/** A level of the file: the whole file, a server, or a tool. */
export type Level = "top" | "server" | "tool";

/** What a feature needs to read its keys at one level. */
export interface LevelContext {
  readonly level: Level;
  /** Returns the absolute path of a file that the level names. */
  readonly fileNamed: (name: string) => string;
  /** Reads a JSON Schema that is the value of a key, and reports what is wrong with it. */
  readonly schemaAt: (key: string, schema: NarrowSchema["schema"]) => NarrowSchema;
}

/** What is wrong with the settings of a level. */
export interface LevelFault {
  readonly code: "MISSING_KEY" | "INVALID_VALUE";
  /** Keys from the level to the value. */
  readonly path: readonly string[];
  readonly message: string;
}

/** A feature's settings in force for a server, and for those of its tools that have settings of their own. */
export interface SettingsInForce<Settings> {
  readonly server: Settings | undefined;
  readonly tools: ReadonlyMap<string, Settings | undefined>;
}

/** The parts of a feature that still block calls while checks are paused, as numbers. */
export interface BlockingCounts {
  /** Its name in the HTTP API. */
  readonly name: string;
  /** Its number in the HTTP API, in words. */
  readonly shown: string;
  /** Whether a pause of policy pauses it as well. */
  readonly isPolicy?: true;
  /** Returns how many of them there are. */
  count(servers: readonly SettingsInForce<never>[]): number;
  /** One of them in words, for a sentence that says that there are none. */
  readonly one: string;
  /**
   * Returns such a number in words.
   * @param isOfServer whether they are of one server, which the reader sees
   */
  text(count: number, isOfServer: boolean): string;
}

/** What the HTTP API and the console show of a tool's own settings. */
export interface ShownOfTool {
  /** Schemas of what is shown, by name; each may be absent. */
  readonly shown: Readonly<Record<string, Schema>>;
  /** Returns what is shown; undefined if the tool itself sets nothing. */
  show(settings: never): object | undefined;
  /** Returns what is shown in words; none if it does not fit into a line of text. */
  texts(shown: never): readonly string[];
}

/**
 * A feature with keys of its own at the top level, for a server or for a tool. Everything else is derived from it:
 * the file's schema, merging, `config show` and the HTTP API iterate over the list in `list.ts`.
 */
export interface LevelSetting {
  /** Its name in the settings in force. */
  readonly name: string;
  /** JSON Schemas of its keys in the file, at each level that has some. */
  readonly keys: { readonly [L in Level]?: Readonly<Record<string, object>> };
  /**
   * Returns the settings of a level; undefined if nothing is set.
   * @param above those of the level above; undefined if nothing is set there
   * @param written the level's own keys
   */
  merge(above: unknown, written: object, place: LevelContext): unknown;
  /**
   * Returns the settings with keys of the command line, or of its preset, which override those of every level.
   * Absent: the command line has no options for it.
   */
  override?(settings: unknown, written: object, place: Pick<LevelContext, "fileNamed">): unknown;
  /**
   * Returns the keys of a level that `merge` reads as the same settings.
   * @param settings in force at the level; undefined if nothing is set
   * @param above in force at the level above
   */
  write(settings: unknown, level: Level, above: unknown): object;
  /** Returns what is wrong between the keys of a level and those of the levels above. */
  faultIn?(settings: unknown, written: object, level: Level): LevelFault | undefined;
  /** Schema of the settings in the HTTP API, which shows them among the checks. Absent: the API does not show them. */
  readonly shown?: Schema;
  /** Returns what the HTTP API shows of the settings. Default: all. */
  readonly show?: (settings: never) => unknown;
  /** What the HTTP API and the console show of a tool that sets something itself. */
  readonly ofTool?: ShownOfTool;
  /** The parts of the settings that block calls even while checks are paused. */
  readonly blocks?: readonly BlockingCounts[];
}
