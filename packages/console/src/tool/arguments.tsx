import type { ScanError } from "@touchstone/core/advanced";
import { type ReactElement, Suspense, useMemo, useState, useSyncExternalStore } from "react";
import type { Finding, TextCheck } from "../check/check-text.ts";
import type { Selection } from "../editor/json-editor.tsx";
import { type OnBranchChange, ShownFields, type TreeEdit } from "../form/context.ts";
import type { SchemaSource } from "../form/source.ts";
import { readTree } from "../json/tree.ts";
import { hasMoreValues } from "../json/value-count.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { Notice } from "../page/notice.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { FindingList, Warnings } from "./finding-list.tsx";

const loadForm = () => import("../form/schema-form.tsx");
const SchemaForm = lazyPart(loadForm);
// Loaded together with the tool. The rest of the page waits for the form, which would otherwise push it down.
void loadForm().catch(() => {});
const JsonEditor = lazyPart(() => import("../editor/json-editor.tsx"));

/** Limits the values in a form: each one costs time with every key press. */
const MAX_VALUES = 2_000;
const NONE: readonly Finding[] = [];

interface Props {
  readonly source: SchemaSource;
  readonly text: string;
  readonly verdict: TextCheck;
  /** Whether the arguments were sent, so that missing values are marked too. */
  readonly isSent: boolean;
  readonly onText: (text: string) => void;
  readonly onEdit: (edit: TreeEdit) => void;
  /** How often the form was given new arguments. */
  readonly starts: number;
  readonly onChoice: OnBranchChange;
  readonly open: "form" | "json";
  readonly onOpen: (tab: "form" | "json") => void;
  readonly selection: Selection | undefined;
  /** Moves to the place of a finding. */
  readonly onFind: (finding: Finding) => void;
}

function unreadableText({ code }: ScanError): string {
  return code === "depth" ? "The arguments nest too deep for a form." : "The text is not JSON.";
}

/** Returns the findings to mark in the value: not those about the schema. */
function markedOf({ state, findings }: TextCheck): readonly Finding[] {
  return state === "unusable" ? NONE : findings;
}

function FormPanel(props: Props & { readonly shown: ShownFields }): ReactElement {
  const { source, text, verdict, isSent, shown, onEdit, onChoice } = props;
  const read = useMemo(() => readTree(text), [text]);
  if (!read.ok || read.tree.kind !== "object") {
    return (
      <Notice kind="warning">
        {read.ok ? "The arguments are not an object." : unreadableText(read.error)} Fix it in the
        JSON view; then the form shows it again.
      </Notice>
    );
  }
  if (hasMoreValues(read.tree, MAX_VALUES)) {
    return (
      <Notice kind="plain">
        The arguments hold more than {MAX_VALUES.toLocaleString("en")} values, too many for a form.
        Write them as JSON.
      </Notice>
    );
  }
  const broken = (
    <Notice kind="warning">The form cannot show this schema. Write the arguments as JSON.</Notice>
  );
  return (
    <ErrorBoundary fallback={broken}>
      <SchemaForm
        source={source}
        tree={read.tree}
        findings={markedOf(verdict)}
        showsMissing={isSent}
        shown={shown}
        onEdit={onEdit}
        onChoice={onChoice}
      />
    </ErrorBoundary>
  );
}

/** Shows the arguments as a form and as JSON, with issues next to each value, and issues without a field below. */
export function Arguments(props: Props): ReactElement {
  const { source, text, verdict, isSent, starts, open, selection, onText, onOpen, onFind } = props;
  const [shown] = useState(() => new ShownFields());
  const fields = useSyncExternalStore(shown.subscribe, shown.get);
  const marked = markedOf(verdict);
  const others =
    open === "json"
      ? marked
      : marked.filter(({ path, isMissing }) => !fields.has(path) && (isSent || !isMissing));
  return (
    <section className="arguments min-w-0" aria-label="Arguments">
      <Tabs
        label="Arguments as"
        open={open}
        onOpen={(id) => onOpen(id === "json" ? "json" : "form")}
        tabs={[
          // New arguments reset which parts of the form are open; in the editor they can be undone.
          {
            id: "form",
            label: "Form",
            panel: () => <FormPanel key={starts} {...props} shown={shown} />,
          },
          {
            id: "json",
            label: "JSON",
            panel: () => (
              <Suspense fallback={<p role="status">Loading …</p>}>
                <JsonEditor
                  label="Arguments as JSON"
                  source={source}
                  text={text}
                  findings={marked}
                  selection={selection}
                  onChange={onText}
                />
              </Suspense>
            ),
          },
        ]}
      />
      <FindingList
        findings={others}
        more={open === "json" || others.length > 0 ? verdict.more : 0}
        unmeant={others.length > 0 ? verdict.unmeant : 0}
        onFind={onFind}
      />
      <Warnings warnings={verdict.warnings} />
    </section>
  );
}
