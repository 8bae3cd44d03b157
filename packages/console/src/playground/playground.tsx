import { CSPProvider } from "@base-ui/react/csp-provider";
import { type ReactElement, useCallback, useState } from "react";
import { ThemeChoice } from "../page/theme.tsx";
import { Button } from "../ui/button.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { CallView } from "./call-view.tsx";
import type { Checker } from "./checker.ts";
import { Choice } from "./choice.tsx";
import { ClientsView } from "./clients-view.tsx";
import { CompareView } from "./compare-view.tsx";
import { EXAMPLES, START } from "./examples.ts";
import { type PlaygroundState, VIEWS, type View } from "./question.ts";
import { TextArea } from "./text-area.tsx";
import { useAddress } from "./use-address.ts";
import type { ViewProps } from "./view-props.ts";

/** The choice for what the visitor has entered, in the list of examples. */
const OWN = "own";

const TOOLS: Readonly<Record<View, { readonly label: string; readonly hint: string }>> = {
  call: {
    label: "Tools",
    hint: "A tools/list result, a list of tools, one tool, or a JSON Schema.",
  },
  clients: { label: "Tools", hint: "A tools/list result, a list of tools, or one tool." },
  compare: { label: "Before", hint: "The list that was approved." },
};

function Parts({
  checker,
  state,
  change,
}: Pick<ViewProps, "checker" | "state" | "change">): ReactElement {
  const { view, tools, args, next } = state;
  const example = EXAMPLES.findIndex(
    ({ state: one }) => one.tools === tools && one.args === args && one.next === next,
  );
  const toolsField = (
    <TextArea
      {...TOOLS[view]}
      value={tools}
      rows={14}
      onChange={(text) => change({ tools: text, tool: 0 })}
    />
  );
  const props = { checker, state, change, toolsField };
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Choice
          label="Example"
          className="w-80 max-w-full"
          value={example < 0 ? OWN : String(example)}
          choices={[
            ...EXAMPLES.map(({ name }, index) => ({ value: String(index), label: name })),
            ...(example < 0 ? [{ value: OWN, label: "What you entered" }] : []),
          ]}
          onChange={(value) => {
            const chosen = EXAMPLES[Number(value)];
            if (chosen !== undefined) change(chosen.state);
          }}
        />
        <CopyLink checker={checker} state={state} />
      </div>
      <Tabs
        label="What to do"
        open={view}
        onOpen={(id) => {
          const chosen = VIEWS.find((each) => each === id);
          if (chosen !== undefined) change({ view: chosen });
        }}
        tabs={[
          { id: "call", label: "Check a call", panel: () => <CallView {...props} /> },
          { id: "clients", label: "Lint and adapt", panel: () => <ClientsView {...props} /> },
          { id: "compare", label: "Compare two lists", panel: () => <CompareView {...props} /> },
        ]}
      />
    </>
  );
}

/** Copies a link that contains what is entered, even if the address is not up to date yet. */
function CopyLink({ checker, state }: Pick<ViewProps, "checker" | "state">): ReactElement {
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    const reply = await checker.ask("encode", state);
    if (reply?.ok === false) {
      setSaid(reply.message);
      return;
    }
    // Without an answer, the page is still writing the address, because the user entered something after the click.
    const [page = ""] = location.href.split("#");
    const link = reply === undefined ? location.href : `${page}#${reply.fragment}`;
    try {
      await navigator.clipboard.writeText(link);
      setSaid("Copied. The link holds everything that you entered.");
    } catch {
      setSaid("The browser does not allow it here. Copy the address of the page.");
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button onClick={() => void copy()}>Copy link</Button>
      <span role="status" className="text-[0.8125rem] text-soft">
        {said}
      </span>
    </div>
  );
}

/** The page. */
export function Playground({ checker }: { readonly checker: Checker }): ReactElement {
  const [state, setState] = useState(START);
  const change = useCallback(
    (part: Partial<PlaygroundState>) => setState((old) => ({ ...old, ...part })),
    [],
  );
  const { message, isReady } = useAddress(checker, state, setState);
  return (
    <CSPProvider disableStyleElements>
      <div className="mx-auto flex max-w-7xl flex-col gap-4 px-4 py-5">
        <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0">
            <h1 className="text-xl leading-7 font-semibold tracking-tight">
              Touchstone playground
            </h1>
            <p className="text-soft">
              Paste the tools/list result of an MCP server, or a JSON Schema. Everything is checked
              in this page: nothing is sent anywhere.
            </p>
          </div>
          <ThemeChoice />
        </header>
        <main className="flex min-w-0 flex-col gap-4">
          <p role="status" className="text-[0.8125rem] text-warn empty:hidden">
            {message}
          </p>
          {isReady && <Parts checker={checker} state={state} change={change} />}
        </main>
      </div>
    </CSPProvider>
  );
}
