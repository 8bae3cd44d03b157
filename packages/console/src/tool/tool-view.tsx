import { RotateCcw } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactElement,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useNeedsKey } from "../access/rights.ts";
import type { Api } from "../api/client.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { curlCommand } from "../call/curl.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Run, Runs } from "../call/runs.ts";
import { storableDraft } from "../call/storable.ts";
import { type Finding, judgeText } from "../check/check-text.ts";
import type { Selection } from "../editor/json-editor.tsx";
import { useChoices } from "../form/choices.ts";
import type { TreeEdit } from "../form/context.ts";
import { printTree, readTree } from "../json/tree.ts";
import { Notice } from "../page/notice.tsx";
import { useOpenedHeading } from "../page/opened-heading.tsx";
import { Badges } from "../tools/badges.tsx";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ActionBar } from "./action-bar.tsx";
import { Arguments } from "./arguments.tsx";
import type { ToolDetail } from "./detail.ts";
import { Examples, recordedArguments } from "./examples.tsx";
import { History } from "./history.tsx";
import { Outcome } from "./outcome.tsx";
import { AllowExecution } from "./refusal.tsx";
import { SchemaFaults, Schemas } from "./schemas.tsx";

interface Props {
  readonly api: Api;
  /** API of the gateway that has recorded calls; undefined if there is none. */
  readonly gateway: GatewayApi | undefined;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly detail: ToolDetail;
  readonly allowExecute: boolean;
  /** The id of a recorded call whose arguments the form starts with. */
  readonly call: string | undefined;
}

const NO_ARGUMENTS =
  "The record of this call has no arguments to start with: they were not kept, or were cut.";

/** Returns the focusable element in a value's field; undefined if the value has no field. */
function fieldAt(root: HTMLElement | null, pointer: string): HTMLElement | undefined {
  const fields = [...(root?.querySelectorAll<HTMLElement>("[data-pointer]") ?? [])];
  const field = fields.find((each) => each.dataset["pointer"] === pointer);
  return field?.querySelector<HTMLElement>("textarea, select, input, button") ?? undefined;
}

/** Holds the text of the arguments, the only value that all parts of the page show and change. */
function useDraft({ drafts, detail }: Props) {
  const { summary, source, prefill } = detail;
  const [text, setText] = useState(() => drafts.get(summary.name) ?? prefill);
  useEffect(() => {
    if (text === prefill) drafts.delete(summary.name);
    else drafts.set(summary.name, text, storableDraft(text, source));
  }, [text, drafts, prefill, summary, source]);
  const [starts, setStarts] = useState(0);
  const edit = useCallback((change: TreeEdit): void => {
    setText((old) => {
      const read = readTree(old);
      return read.ok ? printTree(change(read.tree)) : old;
    });
  }, []);
  const replace = (next: string): void => {
    setText(next);
    setStarts((count) => count + 1);
  };
  return { text, setText, starts, edit, replace };
}

/** Loads the arguments of the recorded call in the URL. Returns why they are not available. */
function useRecordedCall(
  { gateway, call }: Props,
  replace: (text: string) => void,
): string | undefined {
  const [failure, setFailure] = useState<string>();
  const take = useRef(replace);
  useEffect(() => {
    take.current = replace;
  });
  useEffect(() => {
    if (call === undefined || gateway === undefined) return undefined;
    let isOver = false;
    const load = async (): Promise<void> => {
      try {
        const text = await recordedArguments(gateway, call);
        if (isOver) return;
        if (text !== undefined) take.current(text);
        setFailure(text === undefined ? NO_ARGUMENTS : undefined);
      } catch (thrown) {
        if (!isOver) setFailure(messageOf(thrown));
      }
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [gateway, call]);
  return failure;
}

/** Shows one tool: its description, its arguments with their issues, and the outcome of running it. */
export function ToolView(props: Props): ReactElement {
  const { api, gateway, runs, detail, allowExecute } = props;
  const { summary, input, source, prefill } = detail;
  const { name } = summary;
  const { text, setText, starts, edit, replace } = useDraft(props);
  const judged = useDeferredValue(text);
  const [chosen, onChoice] = useChoices();
  const verdict = useMemo(() => judgeText(input.compiled, judged, chosen), [input, judged, chosen]);
  const [isSent, setIsSent] = useState(false);
  const [open, setOpen] = useState<"form" | "json">("form");
  const [selection, setSelection] = useState<Selection>();
  const made = useSyncExternalStore(runs.subscribe, () => runs.of(name));
  const [picked, setPicked] = useState<number>();
  const shown = made.find(({ id }) => id === picked) ?? made[0];
  const heading = useOpenedHeading();
  const failure = useRecordedCall(props, replace);
  const page = useRef<HTMLDivElement>(null);
  const outcome = useRef<HTMLElement>(null);

  const send = (kind: Run["kind"], sent: string): void => {
    setIsSent(true);
    setPicked(undefined);
    void runs.start(name, kind, sent, (signal, onProgress) =>
      kind === "call"
        ? api.call(name, sent, { signal, onProgress })
        : api.validate(name, sent, { signal }),
    );
    requestAnimationFrame(() => outcome.current?.scrollIntoView({ block: "nearest" }));
  };
  const find = ({ path, from, to }: Finding): void => {
    const field = open === "form" ? fieldAt(page.current, path) : undefined;
    setIsSent(true);
    if (field !== undefined) {
      field.focus();
      return;
    }
    setOpen("json");
    setSelection({ from, to });
  };
  const startOver = (): void => {
    replace(prefill);
    setIsSent(false);
  };
  const isBad = verdict.state === "invalid" || verdict.state === "unreadable";
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send(allowExecute && !isBad ? "call" : "validate", text);
  };
  const needsKey = useNeedsKey();
  const command = curlCommand({ url: api.callUrl(name), body: text, needsKey });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the shortcut works wherever the focus is in the page
    <div ref={page} className="flex min-w-0 flex-col gap-4" onKeyDown={onKeyDown}>
      <header>
        <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold">
          <code className="font-mono">
            <ExternalText text={name} />
          </code>{" "}
          {summary.title !== undefined && (
            <span className="font-normal text-soft">
              <ExternalText text={summary.title} />
            </span>
          )}
        </h2>
        <Badges tool={summary} />
        {summary.description !== "" && <Markdown text={summary.description} className="mt-2" />}
        <SchemaFaults detail={detail} />
        {failure !== undefined && (
          <Notice kind="warning">
            <ExternalText text={failure} />
          </Notice>
        )}
      </header>
      <div className="rounded-lg border border-line bg-surface px-4 pt-3">
        <div className="mb-1 flex flex-wrap items-center justify-between gap-2">
          <h3 className="font-semibold">Arguments</h3>
          <span className="flex flex-wrap items-center gap-1">
            <Examples detail={detail} gateway={gateway} onPick={replace} />
            <Button variant="quiet" size="sm" onClick={startOver}>
              <RotateCcw aria-hidden="true" />
              Start over
            </Button>
          </span>
        </div>
        <Arguments
          starts={starts}
          source={source}
          text={text}
          verdict={verdict}
          isSent={isSent}
          open={open}
          selection={selection}
          onText={setText}
          onEdit={edit}
          onChoice={onChoice}
          onFind={find}
          onOpen={(tab) => {
            setOpen(tab);
            setSelection(undefined);
          }}
        />
        <div className="h-3" />
        <ActionBar
          verdict={verdict}
          allowExecute={allowExecute}
          isRunning={made.some(({ isRunning }) => isRunning)}
          onValidate={() => send("validate", text)}
          onExecute={() => send("call", text)}
          onCancel={() => runs.stop(name)}
          onFind={find}
        />
      </div>
      {!allowExecute && (
        <details id="execution-off" className="text-[0.8125rem]">
          <summary className="cursor-pointer text-soft">
            Running tools from the console is off. How to turn it on
          </summary>
          <AllowExecution />
        </details>
      )}
      <section
        ref={outcome}
        className="outcome flex scroll-mb-16 flex-col gap-2"
        aria-label="Result"
        aria-live="polite"
      >
        {shown !== undefined && <Outcome key={shown.id} run={shown} text={text} detail={detail} />}
      </section>
      <History
        runs={made}
        shown={shown}
        canRun={allowExecute}
        onShow={({ id }) => setPicked(id)}
        onEdit={({ sent }) => replace(sent)}
        onAgain={({ sent }) => send("call", sent)}
        onClear={() => runs.clear(name)}
      />
      <details>
        <summary className="cursor-pointer font-medium">cURL</summary>
        <Code text={command} label="cURL command" copy="cURL" />
      </details>
      <Schemas detail={detail} />
    </div>
  );
}
