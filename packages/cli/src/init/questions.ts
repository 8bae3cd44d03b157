import type { Mode } from "@touchstone/gateway";
import type { FoundServer } from "./found-servers.ts";

/** The user's choices. */
export interface InitChoices {
  readonly servers: readonly FoundServer[];
  readonly mode: Mode;
  readonly file: string;
}

/** The options to choose from; the first of each is the default. */
export interface InitOffer {
  readonly servers: readonly FoundServer[];
  /** A client's program and its file, one line each. */
  readonly clients: readonly string[];
  /** Empty if the user is not asked for the mode. */
  readonly modes: readonly Mode[];
  /** The files that can be written, and the programs that read them. */
  readonly files: readonly { readonly path: string; readonly readBy: string }[];
}

/** Asks for the choices; undefined if the user cancels. */
export type AskChoices = (offer: InitOffer) => Promise<InitChoices | undefined>;

/** The part of @clack/prompts that is used here. */
interface Prompts {
  intro(text: string): void;
  note(text: string, title: string): void;
  cancel(text: string): void;
  isCancel(value: unknown): value is symbol;
  multiselect<T>(options: {
    message: string;
    options: { value: T; label: string; hint?: string }[];
    initialValues: T[];
    required: boolean;
  }): Promise<T[] | symbol>;
  select<T>(options: {
    message: string;
    options: { value: T; label: string; hint?: string }[];
  }): Promise<T | symbol>;
}

const MODE_HINTS: Readonly<Record<Mode, string>> = {
  warn: "forward everything, record what does not match",
  strict: "block what does not match",
  off: "check nothing",
};

/** Asks in the terminal. */
export const askOnTerminal: AskChoices = async ({ servers, clients, modes, files }) => {
  const ask = (await import("@clack/prompts")) as unknown as Prompts;
  ask.intro("A configuration for Touchstone");
  ask.note(clients.join("\n") || "none", "Files of clients");
  const chosen =
    servers.length === 0
      ? []
      : await ask.multiselect({
          message: "Which servers?",
          options: servers.map((server) => ({
            value: server,
            label: server.name,
            hint: server.client,
          })),
          initialValues: [...servers],
          required: false,
        });
  if (ask.isCancel(chosen)) return undefined;
  const mode =
    modes.length === 0
      ? "warn"
      : await ask.select<Mode>({
          message: "What happens to a call that does not match?",
          options: modes.map((value) => ({ value, label: value, hint: MODE_HINTS[value] })),
        });
  if (ask.isCancel(mode)) return undefined;
  const [only] = files;
  const file =
    files.length === 1 && only !== undefined
      ? only.path
      : await ask.select<string>({
          message: "Where?",
          options: files.map(({ path, readBy }) => ({ value: path, label: path, hint: readBy })),
        });
  if (ask.isCancel(file)) return undefined;
  return { servers: chosen, mode, file };
};
