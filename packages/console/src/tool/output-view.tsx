import type { ReactElement } from "react";
import { Notice } from "../page/notice.tsx";
import { FindingList, Warnings } from "./finding-list.tsx";
import type { OutputVerdict } from "./output.ts";

/** Shows the verdict on a result's structured content, next to the result. */
export function OutputView({ said }: { readonly said: OutputVerdict }): ReactElement {
  if (said.kind === "missing") {
    return (
      <Notice kind="bad">
        Missing structured output: the tool declares an output schema, and its result has no
        structured content.
      </Notice>
    );
  }
  if (said.kind !== "judged") {
    return (
      <Notice kind="plain">
        {said.kind === "undeclared"
          ? "The tool declares no output schema, so its result was not checked."
          : "The output of an error was not checked."}
      </Notice>
    );
  }
  const { state, findings, more, unmeant, warnings } = said.verdict;
  // Hints are for the author of the value; anyone who calls a tool cannot change its result.
  const plain = findings.map(({ hint: _, ...finding }) => finding);
  const head = {
    valid: "Valid structured output",
    invalid: "Invalid structured output",
    unreadable: "The structured output is not JSON",
    unchecked: "The structured output was not checked",
    unusable: "The tool's output schema cannot be used, so the output was not checked",
  }[state];
  const kind = state === "valid" ? "good" : state === "invalid" ? "bad" : "warning";
  return (
    <Notice kind={kind}>
      <p>{head}</p>
      <FindingList findings={state === "unusable" ? [] : plain} more={more} unmeant={unmeant} />
      <Warnings warnings={warnings} />
    </Notice>
  );
}
