import type { ReactElement } from "react";
import { type ApiResponse, errorOf, refusalText } from "../api/client.ts";
import { type ContentView, type ResultView, readResult } from "../call/result.ts";
import { readStoppedCall, type StoppedCall } from "../call/stopped-call.ts";
import { withLineNumbers } from "../check/text-place.ts";
import { printTree, readTree } from "../json/tree.ts";
import { Notice } from "../page/notice.tsx";
import { durationText } from "../text/duration.ts";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import type { ToolSchema } from "./detail.ts";
import { judgeOutput } from "./output.ts";
import { OutputView } from "./output-view.tsx";
import { RefusalHelp } from "./refusal.tsx";

interface Props {
  readonly answer: ApiResponse;
  /** The text that was sent. */
  readonly sent: string;
  readonly output: ToolSchema | undefined;
}

function pretty(text: string): string {
  const read = readTree(text);
  return read.ok ? printTree(read.tree) : text;
}

/** Indents a JSON object or array and keeps its numbers as written; returns any other text unchanged. */
function readable(text: string): string {
  return /^\s*[[{]/.test(text) ? pretty(text) : text;
}

function Content({
  item,
  index,
}: {
  readonly item: ContentView;
  readonly index: number;
}): ReactElement {
  const label = `Content ${index + 1}`;
  if (item.kind === "text") return <Code label={label} text={readable(item.text)} />;
  if (item.kind === "image") {
    return (
      <img
        className="max-w-full rounded-md border border-line"
        src={item.source}
        alt={`${label}, ${item.mimeType}`}
      />
    );
  }
  if (item.kind === "audio") {
    // biome-ignore lint/a11y/useMediaCaption: a tool's result has no captions
    return <audio controls src={item.source} aria-label={`${label}, ${item.mimeType}`} />;
  }
  return (
    <>
      <p>
        <ExternalText text={item.type} />
        {item.why !== undefined && `: ${item.why}`}
      </p>
      <Code label={label} text={item.json} />
    </>
  );
}

/** States the result of the call in a sentence. */
function Head({
  result,
  stopped,
  took,
}: {
  readonly result: ResultView;
  readonly stopped: StoppedCall | undefined;
  readonly took: string;
}): ReactElement {
  const { isError, traceId } = result;
  return (
    <Notice kind={isError ? "bad" : "good"}>
      <p>
        {stopped?.by === "refused" && "Not run: the arguments do not match the tool's input schema"}
        {stopped?.by === "unchecked" && "Not run: the arguments could not be checked"}
        {stopped?.by === "blocked" && (
          <span className="whitespace-pre-line">
            Blocked by Touchstone: <ExternalText text={stopped.reason} />
          </span>
        )}
        {stopped === undefined && (isError ? "The result is an error" : "The tool ran")}{" "}
        <small>{took}</small>
        {traceId !== undefined && (
          <small>
            {" "}
            trace <ExternalText text={traceId} />
          </small>
        )}
      </p>
    </Notice>
  );
}

/** Shows the outcome of a call: the readable result, its structured part, the bytes, and the verdict on it. */
export function CallAnswer({ answer, sent, output }: Props): ReactElement {
  const { status, text, milliseconds } = answer;
  const result = readResult(text);
  const took = `${status}, ${durationText(milliseconds)}`;
  const raw: Tab = {
    id: "raw",
    label: "Raw",
    panel: () => <Code label="Raw answer" text={text} />,
  };
  if (result === undefined) {
    const error = withLineNumbers(errorOf(text) ?? "The response is not a tool result.", sent);
    const message = refusalText(error, status);
    return (
      <>
        <Notice kind="bad">
          <p>
            <ExternalText text={message} /> <small>{took}</small>
          </p>
          <RefusalHelp status={status} />
        </Notice>
        <Tabs label="Answer" tabs={[raw]} />
      </>
    );
  }
  const { structured, content } = result;
  const stopped = readStoppedCall(status, result);
  const shown: Tab = {
    id: "result",
    label: "Result",
    panel: () =>
      content.length === 0 ? (
        <p>The result has no content.</p>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of one result never move
        content.map((item, index) => <Content key={index} item={item} index={index} />)
      ),
  };
  const parts: Tab = {
    id: "structured",
    label: "Structured",
    panel: () =>
      structured === undefined ? (
        <p>The result has no structured content.</p>
      ) : (
        <Code label="Structured content" text={pretty(structured)} />
      ),
  };
  return (
    <>
      <Head result={result} stopped={stopped} took={took} />
      {stopped === undefined && <OutputView said={judgeOutput(output, result)} />}
      <Tabs label="Answer" tabs={[shown, parts, raw]} />
    </>
  );
}
