import type { ScanError } from "@touchstone/core";
import { type ReactElement, Suspense, useMemo, useRef, useState } from "react";
import type { Selection } from "../editor/json-editor.tsx";
import type { Edit, OnChoice } from "../form/context.ts";
import { formSchema } from "../form/form-schema.ts";
import { readTree } from "../json/tree.ts";
import { holdsMore } from "../json/value-count.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazily } from "../page/lazily.tsx";
import { Notice } from "../page/notice.tsx";
import { Tabs } from "../ui/tabs.tsx";
import type { Finding, Verdict } from "../verdict/verdict.ts";
import { VerdictView } from "./verdict-view.tsx";

const SchemaForm = lazily(() => import("../form/schema-form.tsx"));
const JsonEditor = lazily(() => import("../editor/json-editor.tsx"));

/** A form takes a moment for each of them with every key that is pressed. */
const MAX_VALUES = 2_000;
const NONE: readonly Finding[] = [];

interface Props {
  /** The text of the schema. */
  readonly schema: string;
  readonly text: string;
  readonly verdict: Verdict;
  /** Whether nothing was filled in yet. */
  readonly isFresh: boolean;
  readonly onText: (text: string) => void;
  readonly onEdit: (edit: Edit) => void;
  readonly onReset: () => void;
  /** How often it was started over. */
  readonly starts: number;
  readonly onChoice: OnChoice;
}

/** What is marked in the value: not what is only to be filled in, nor what is wrong with the schema. */
function markedOf({ verdict, isFresh }: Props): readonly Finding[] {
  const isShown = verdict.state !== "unusable" && !(isFresh && verdict.state === "invalid");
  return isShown ? verdict.findings : NONE;
}

function unreadableText({ code }: ScanError): string {
  return code === "depth" ? "The arguments nest too deep for a form." : "The text is not JSON.";
}

function FormPanel(props: Props): ReactElement {
  const { schema, text, onEdit, onChoice } = props;
  const form = useMemo(() => {
    const tree = readTree(schema);
    return formSchema(JSON.parse(schema), tree.ok ? tree.tree : undefined);
  }, [schema]);
  const read = useMemo(() => readTree(text), [text]);
  if (!form.ok) {
    return (
      <Notice kind="plain">
        There is no form for this schema. {form.why} Write the arguments as JSON.
      </Notice>
    );
  }
  if (!read.ok || read.tree.kind !== "object") {
    return (
      <Notice kind="warning">
        {read.ok ? "The arguments are not an object." : unreadableText(read.error)} Fix it under
        JSON; the form shows it again then.
      </Notice>
    );
  }
  if (holdsMore(read.tree, MAX_VALUES)) {
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
        source={schema}
        schema={form.schema}
        tree={read.tree}
        findings={markedOf(props)}
        onEdit={onEdit}
        onChoice={onChoice}
      />
    </ErrorBoundary>
  );
}

/** What takes the focus in the field of a form that a pointer names; undefined where none is drawn. */
function fieldAt(root: HTMLElement | null, pointer: string): HTMLElement | undefined {
  const fields = [...(root?.querySelectorAll<HTMLElement>("[data-pointer]") ?? [])];
  const field = fields.find((each) => each.dataset["pointer"] === pointer);
  return field?.querySelector<HTMLElement>("textarea, select, input, button") ?? undefined;
}

/** The arguments as a form and as JSON, and the verdict on them while they are typed. */
export function Arguments(props: Props): ReactElement {
  const { text, verdict, isFresh, onText, onReset, starts } = props;
  const [open, setOpen] = useState("form");
  const [selection, setSelection] = useState<Selection>();
  const section = useRef<HTMLElement>(null);
  const find = ({ issue, from, to }: Finding): void => {
    const field = open === "form" ? fieldAt(section.current, issue.path) : undefined;
    if (field !== undefined) {
      field.focus();
      return;
    }
    setOpen("json");
    setSelection({ from, to });
  };
  const loading = <p role="status">Loading …</p>;
  return (
    <section ref={section} className="arguments" aria-label="Arguments">
      <div className="head">
        <h3>Arguments</h3>
        <button type="button" className="quiet" onClick={onReset}>
          Start over
        </button>
      </div>
      <Suspense fallback={loading}>
        <Tabs
          label="Arguments as"
          open={open}
          onOpen={(id) => {
            setOpen(id);
            setSelection(undefined);
          }}
          tabs={[
            // A form that starts over forgets what is open in it; the editor can take it back.
            { id: "form", label: "Form", panel: () => <FormPanel key={starts} {...props} /> },
            {
              id: "json",
              label: "JSON",
              panel: () => (
                <JsonEditor
                  label="Arguments as JSON"
                  text={text}
                  findings={markedOf(props)}
                  selection={selection}
                  onChange={onText}
                />
              ),
            },
          ]}
        />
      </Suspense>
      <VerdictView verdict={verdict} what="arguments" isFresh={isFresh} onFind={find} />
    </section>
  );
}
