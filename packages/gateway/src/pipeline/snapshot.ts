import type { Frame } from "@touchstone/protocol/advanced";
import { narrowingsOf, type ServerNarrowings } from "../features/narrow/narrow.ts";
import { type ToolLimits, toolLimitsOf } from "../features/tool-limits.ts";
import {
  type Mode,
  strictestOutputMode,
  strictestResultMode,
  type ValidationSettings,
} from "../settings/validation.ts";
import type { AddedValidation } from "./added-validation.ts";

/** The parts of a {@link SettingsSnapshot}. */
export interface SnapshotParts {
  /** For messages that are not about a tool, and for tools without settings of their own. */
  readonly server: ValidationSettings;
  /** Settings of tools that differ from the server's. */
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
  /** Validation that the gateway adds; absent if messages stay as they are. */
  readonly validation?: AddedValidation | undefined;
}

const NO_TOOLS: ReadonlyMap<string, ValidationSettings> = new Map();

/**
 * The settings of one server at one moment. One snapshot applies to a message from reading it to recording it, so a
 * reload or a pause in between does not mix settings.
 */
export class SettingsSnapshot {
  readonly server: ValidationSettings;
  readonly validation: AddedValidation | undefined;
  /** Constraints on the arguments of single tools; undefined if there are none. */
  readonly narrowings: ServerNarrowings | undefined;
  /** The rate limits of single tools; undefined if there are none. */
  readonly toolLimits: ToolLimits | undefined;
  readonly #tools: ReadonlyMap<string, ValidationSettings>;
  #strictInput: string | undefined;

  constructor({ server, tools = NO_TOOLS, validation }: SnapshotParts) {
    this.server = server;
    this.validation = validation;
    this.narrowings = narrowingsOf(tools);
    this.toolLimits = toolLimitsOf(tools);
    this.#tools = tools;
  }

  /** Returns the settings for a tool; without a name, those for messages that are not about a tool. */
  readonly of = (tool?: string): ValidationSettings =>
    (tool === undefined ? undefined : this.#tools.get(tool)) ?? this.server;

  /** The settings of the server and of all tools that have their own. */
  get all(): readonly ValidationSettings[] {
    return [this.server, ...this.#tools.values()];
  }

  /** Changes whenever other tools have strict input validation. */
  get strictInput(): string {
    this.#strictInput ??= JSON.stringify([
      this.server.input.mode === "strict",
      ...[...this.#tools].flatMap(([name, { input }]) => [name, input.mode === "strict"]),
    ]);
    return this.#strictInput;
  }

  /** The strictest mode for results, over all tools of the server. */
  get strictestForAnswers(): Mode {
    return strictestResultMode(this.all);
  }

  /** The strictest mode for structured results, over all tools of the server. */
  get strictestForOutput(): Mode {
    return strictestOutputMode(this.all);
  }

  /** Returns a snapshot with other settings of server and tools, and without added validation. */
  with(change: (settings: ValidationSettings) => ValidationSettings): SettingsSnapshot {
    const tools = new Map([...this.#tools].map(([name, settings]) => [name, change(settings)]));
    return new SettingsSnapshot({ server: change(this.server), tools });
  }
}

/** Notes the snapshot that decided how a message was read. */
export function noteSnapshot(frame: Frame, snapshot: SettingsSnapshot): void {
  frame.attached = snapshot;
}

/** Returns the snapshot that a message was read with; the present one if the gateway itself made the message. */
export function snapshotOf(frame: Frame, present: () => SettingsSnapshot): SettingsSnapshot {
  const { attached } = frame;
  return attached instanceof SettingsSnapshot ? attached : present();
}
