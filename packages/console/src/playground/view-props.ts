import type { ReactElement } from "react";
import type { Checker } from "./checker.ts";
import type { PlaygroundState } from "./question.ts";

/** The props of each part of the page. */
export interface ViewProps {
  readonly checker: Checker;
  readonly state: PlaygroundState;
  readonly change: (part: Partial<PlaygroundState>) => void;
  /** The field for the tools. */
  readonly toolsField: ReactElement;
}
