import type { ReactElement } from "react";
import type { Checker } from "./checker.ts";
import type { PlaygroundState } from "./question.ts";

/** What each part of the page gets. */
export interface ViewProps {
  readonly checker: Checker;
  readonly state: PlaygroundState;
  readonly change: (part: Partial<PlaygroundState>) => void;
  /** The field for the tools. */
  readonly toolsField: ReactElement;
}
