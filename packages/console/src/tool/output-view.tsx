import type { ReactElement } from "react";
import { Notice } from "../page/notice.tsx";
import type { OutputVerdict } from "./output.ts";
import { VerdictView } from "./verdict-view.tsx";

/** What is said of a result's structured content, beside the result. */
export function OutputView({ said }: { readonly said: OutputVerdict }): ReactElement {
  if (said.kind === "judged")
    return <VerdictView verdict={said.verdict} what="structured output" />;
  if (said.kind === "missing") {
    return (
      <Notice kind="bad">
        Missing structured output: the tool declares an output schema, and its result has no
        structured content.
      </Notice>
    );
  }
  return (
    <Notice kind="plain">
      {said.kind === "undeclared"
        ? "The tool declares no output schema, so its result was not judged."
        : "The output of an error was not judged."}
    </Notice>
  );
}
