import type { Change } from "@touchstone/protocol/compare";
import type {
  ClientName,
  Finding as LintFinding,
  ProviderFinding,
} from "@touchstone/protocol/lint";
import type { TextCheck } from "../check/check-text.ts";

/** The parts of the page. */
export const VIEWS = ["call", "clients", "compare"] as const;
export type View = (typeof VIEWS)[number];

/** Everything that the user entered: what the address contains. */
export interface PlaygroundState {
  readonly view: View;
  /** A `tools/list` result, a list of tools, one tool, or a schema. */
  readonly tools: string;
  /** Index of the tool to call. */
  readonly tool: number;
  readonly args: string;
  readonly client: ClientName;
  /** The list that {@link tools} is compared with. */
  readonly next: string;
}

/** Maximum number of characters (UTF-16 code units) in one field. */
export const MAX_FIELD = 524_288;

/** The questions that the page sends to its worker, by kind. */
export interface Questions {
  readonly call: Pick<PlaygroundState, "tools" | "tool" | "args">;
  readonly clients: Pick<PlaygroundState, "tools" | "client">;
  readonly compare: Pick<PlaygroundState, "tools" | "next">;
  readonly encode: PlaygroundState;
  readonly decode: { readonly fragment: string };
}
export type QuestionKind = keyof Questions;

/** The answers of the worker, by kind. */
export interface Answers {
  readonly call: ToolCallAnswer;
  readonly clients: ClientsAnswer;
  readonly compare: CompareAnswer;
  readonly encode: { readonly fragment: string };
  readonly decode: { readonly state: PlaygroundState };
}

/** An answer, or the reason why there is none. */
export type Reply<Kind extends QuestionKind> =
  | ({ readonly ok: true } & Answers[Kind])
  | { readonly ok: false; readonly message: string };

/** What an answer reports about a list besides its tools. */
interface OfList {
  /** The names of the tools, ready to show. */
  readonly names: readonly string[];
  /** What a reader of the list should know, such as that pages are missing. */
  readonly notes: readonly string[];
}

export interface ToolCallAnswer extends OfList {
  readonly check: TextCheck;
  /** What an agent reads if a gateway in strict mode blocks the call; undefined if it would forward it. */
  readonly agentText: string | undefined;
  readonly repair: CallRepair | undefined;
}

export interface CallRepair {
  /** `safe` changes how values are written; `all` also guesses what was meant. */
  readonly kinds: "safe" | "all";
  /** What was done, and where. */
  readonly steps: readonly string[];
  readonly diff: string;
}

/** Findings, of which only the first are listed. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly more: number;
}

/** How a client reads a list. */
export interface ClientCount {
  readonly client: ClientName;
  readonly title: string;
  readonly errors: number;
  readonly warnings: number;
}

export interface ClientsAnswer extends OfList {
  readonly lint: Listed<LintFinding>;
  readonly clients: readonly ClientCount[];
  readonly refused: Listed<ProviderFinding>;
  readonly adapted: AdaptedList;
}

/** A list as `adapt` changes it for a client. */
export interface AdaptedList {
  /** What was changed, or could not be changed. */
  readonly changes: Listed<{
    readonly tool: string;
    readonly path: string;
    readonly message: string;
    readonly isLeft: boolean;
  }>;
  /** Number of tools in the adapted list: tools that could not be adapted are left out. */
  readonly listed: number;
  /** What the client refuses in the adapted list. */
  readonly left: Listed<ProviderFinding>;
  /** Each changed tool before and after. */
  readonly diffs: Listed<{ readonly tool: string; readonly diff: string }>;
}

/** A difference between two lists. */
export interface ListedChange extends Pick<Change, "class" | "rule" | "name" | "path" | "message"> {
  /** What the class is based on. */
  readonly evidence: string;
  /** A call, or a result, that worked before and breaks, with what is wrong with it. */
  readonly breaks: { readonly text: string; readonly issues: readonly string[] } | undefined;
  readonly diff: string;
}

export interface CompareAnswer extends OfList {
  readonly counts: Readonly<Partial<Record<Change["class"], number>>>;
  readonly changes: Listed<ListedChange>;
}
