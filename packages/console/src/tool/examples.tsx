import type { ActivityRecord } from "@touchstone/gateway/api";
import { Lightbulb } from "lucide-react";
import { type ReactElement, useState } from "react";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { printTree, readTree } from "../json/tree.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import type { ToolDetail } from "./detail.ts";

/** Maximum number of calls requested, and of examples shown. */
const MAX_ASKED = 50;
const MAX_SHOWN = 12;
const MAX_LENGTH = 200_000;

interface Example {
  /** JSON, an object. */
  readonly text: string;
  /** The source of the example. */
  readonly from: string;
}

function objectText(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const read = readTree(text);
  return read.ok && read.tree.kind === "object" ? printTree(read.tree) : undefined;
}

/** Returns the `examples` of the tool's own schema. */
function declared({ source }: ToolDetail): readonly Example[] {
  const { schema } = source.root;
  const list: unknown = isObject(schema) ? schema["examples"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_SHOWN).flatMap((_, index) => {
    const text = objectText(source.text(`/examples/${index}`) ?? "");
    return text === undefined ? [] : [{ text, from: "from the schema" }];
  });
}

/** Returns the arguments of one recorded call; undefined if they were not kept. */
function recorded({ arguments: args = "", time, status }: ActivityRecord): Example | undefined {
  const text = objectText(args);
  if (text === undefined) return undefined;
  return { text, from: `${new Date(time).toLocaleString()}, ${status ?? ""}` };
}

/** Splits a tool's name from the list of all servers' tools. */
function partsOf(name: string): readonly [server: string, tool: string] {
  const at = name.indexOf(":");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
}

/** Returns the arguments of recorded calls of a tool, newest first, each once. */
async function recordedCalls(gateway: GatewayApi, name: string): Promise<readonly Example[]> {
  const [server, tool] = partsOf(name);
  const filters = { server, tool, limit: String(MAX_ASKED) };
  const { activities } = await gateway.get("listActivity", filters);
  const found = activities.map(recorded).filter((each) => each !== undefined);
  return [...new Map(found.map((each) => [each.text, each])).values()];
}

/** Returns the arguments of one recorded call. */
export async function recordedArguments(
  gateway: GatewayApi,
  id: string,
): Promise<string | undefined> {
  return recorded(await gateway.get("getActivityRecord", { id }))?.text;
}

interface Props {
  readonly detail: ToolDetail;
  readonly gateway: GatewayApi | undefined;
  /** Puts arguments into the form. */
  readonly onPick: (text: string) => void;
}

type Asked = { readonly examples: readonly Example[]; readonly error?: string };

/** Offers arguments to start from: those of the schema, and those of recorded calls. */
export function Examples({ detail, gateway, onPick }: Props): ReactElement | null {
  const [asked, setAsked] = useState<Asked>();
  const own = declared(detail);
  if (gateway === undefined && own.length === 0) return null;
  const open = async (): Promise<void> => {
    setAsked({ examples: own });
    if (gateway === undefined) return;
    try {
      const found = await recordedCalls(gateway, detail.summary.name);
      setAsked((before) => before && { examples: [...own, ...found].slice(0, MAX_SHOWN) });
    } catch (thrown) {
      setAsked((before) => before && { examples: own, error: messageOf(thrown) });
    }
  };
  const close = (): void => setAsked(undefined);
  return (
    <>
      <Button variant="quiet" size="sm" onClick={() => void open()}>
        <Lightbulb aria-hidden="true" />
        Examples
      </Button>
      <Dialog open={asked !== undefined} onClose={close} title="Arguments to start from">
        {asked?.error !== undefined && (
          <p className="text-bad" role="alert">
            <ExternalText text={asked.error} />
          </p>
        )}
        {asked?.examples.length === 0 && asked.error === undefined && (
          <p className="text-soft">
            No recorded call of this tool has its arguments. Set <code>activity.bodies</code> to{" "}
            <code>"all"</code> to keep them, with secrets redacted.
          </p>
        )}
        <ul className="flex flex-col gap-2">
          {asked?.examples.map(({ text, from }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a schema may have two examples that are alike
            <li key={index}>
              <button
                type="button"
                className="w-full rounded-md border border-line bg-sunken px-3 py-2 text-start hover:border-edge"
                onClick={() => {
                  onPick(text);
                  close();
                }}
              >
                <span className="block max-h-32 overflow-hidden font-mono text-[0.8125rem] whitespace-pre-wrap">
                  <ExternalText text={text.slice(0, 2_000)} />
                </span>
                <span className="text-xs text-soft">
                  <ExternalText text={from} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}
