import { pointerTokens } from "@touchstone/core/advanced";
import { CircleAlert, CircleCheck, CircleDashed, Play, Square } from "lucide-react";
import { type ReactElement, useId } from "react";
import type { Finding, TextCheck } from "../check/check-text.ts";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";

interface Props {
  readonly verdict: TextCheck;
  readonly allowExecute: boolean;
  readonly isRunning: boolean;
  readonly onValidate: () => void;
  readonly onExecute: () => void;
  readonly onCancel: () => void;
  readonly onFind: (finding: Finding) => void;
}

/** Maximum number of names that the bar lists. */
const MAX_NAMES = 3;

/**
 * Lists the names of missing properties. If one of several is required, uses the names from the sentence.
 */
function namesOf(findings: readonly Finding[]): string {
  const names = findings.map(({ path, subject, predicate }) =>
    predicate.startsWith(subject)
      ? subject.replaceAll(/(^| )\//g, "$1")
      : pointerTokens(path).join("."),
  );
  const listed = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${listed} and ${names.length - MAX_NAMES} more` : listed;
}

/** Describes the state of the arguments in a few words; names the value if there is only one issue. */
function wordsOf({ state, findings, more }: TextCheck): string {
  switch (state) {
    case "valid":
      return "Valid arguments";
    case "unreadable":
      return "Not JSON";
    case "unchecked":
      return "Not checked";
    case "unusable":
      return "Not checked: the tool's schema cannot be used";
    default: {
      const [first] = findings;
      if (first === undefined) return "Invalid arguments";
      if (more === 0 && findings.every(({ isMissing }) => isMissing))
        return `Fill in ${namesOf(findings)}`;
      const count = findings.length + more;
      return count === 1 ? `Fix ${first.subject}` : `Fix ${count} issues`;
    }
  }
}

/** Shows the actions for the arguments, always in view, and why one is not available. */
export function ActionBar(props: Props): ReactElement {
  const { verdict, allowExecute, isRunning, onValidate, onExecute, onCancel, onFind } = props;
  const reason = useId();
  const { state, findings } = verdict;
  const [first] = findings;
  const isBad = state === "invalid" || state === "unreadable";
  const isToFillIn = state === "invalid" && findings.every(({ isMissing }) => isMissing);
  const Icon = state === "valid" ? CircleCheck : isToFillIn ? CircleDashed : CircleAlert;
  const words = wordsOf(verdict);
  return (
    <div
      data-sticky-bottom=""
      className="sticky bottom-(--toasts) z-10 -mx-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-b-lg border-t border-line bg-surface px-4 py-2.5"
    >
      <p
        id={reason}
        role="status"
        data-state={state}
        className={cx(
          "verdict flex min-w-0 flex-1 basis-40 items-center gap-1.5 [&_svg]:size-4 [&_svg]:shrink-0",
          state === "valid"
            ? "text-good"
            : isToFillIn
              ? "text-soft"
              : isBad
                ? "text-bad"
                : "text-warn",
        )}
      >
        <Icon aria-hidden="true" />
        {isBad && first !== undefined ? (
          <button
            type="button"
            className={`${LINK_CLASS} text-start`}
            onClick={() => onFind(first)}
          >
            <ExternalText text={words} />
          </button>
        ) : (
          <ExternalText text={words} />
        )}
      </p>
      <div className="flex flex-wrap items-center gap-x-1.5 gap-y-2 sm:gap-2">
        {isRunning && (
          <Button variant="danger" onClick={onCancel}>
            <Square aria-hidden="true" />
            Cancel
          </Button>
        )}
        <Button className="max-sm:px-2" onClick={onValidate}>
          Validate
        </Button>
        {allowExecute && isBad && (
          <Button
            className="max-sm:px-2"
            title="Sends the arguments as they are, to see how the server responds"
            onClick={onExecute}
          >
            Execute anyway
          </Button>
        )}
        <Button
          variant="primary"
          className="max-sm:px-2"
          disabled={!allowExecute || isBad}
          aria-describedby={allowExecute ? reason : "execution-off"}
          title="Ctrl+Enter"
          onClick={onExecute}
        >
          <Play aria-hidden="true" />
          Execute
        </Button>
      </div>
    </div>
  );
}
