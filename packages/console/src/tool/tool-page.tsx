import { type ReactElement, useEffect, useState } from "react";
import { useSignedIn } from "../access/reload.ts";
import { type Api, ApiError } from "../api/client.ts";
import type { GatewayApi } from "../api/gateway.ts";
import type { Drafts } from "../call/drafts.ts";
import type { Runs } from "../call/runs.ts";
import { Loading } from "../page/loading.tsx";
import { Notice } from "../page/notice.tsx";
import { Button } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { readDetail, type ToolDetail } from "./detail.ts";
import { ToolView } from "./tool-view.tsx";

interface Props {
  readonly api: Api;
  /** API of the gateway that has recorded calls; undefined if there is none. */
  readonly gateway: GatewayApi | undefined;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly name: string;
  /** The id of a recorded call whose arguments the form starts with. */
  readonly call: string | undefined;
  readonly allowExecute: boolean;
}

type Loaded =
  | { readonly detail: ToolDetail }
  | { readonly error: string; readonly detail?: undefined };

const NO_TOOL = "The server's description of this tool is not a valid tool definition.";

/** Shows one tool, after it has loaded. */
export default function ToolPage(props: Props): ReactElement {
  const { api, name } = props;
  const [loaded, setLoaded] = useState<Loaded>();
  const [times, setTimes] = useState(0);
  const again = (): void => setTimes(times + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `times` is for asking again
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const text = await api.describe(name, { signal: stop.signal });
        const detail = readDetail(text);
        setLoaded(detail === undefined ? { error: NO_TOOL } : { detail });
      } catch (thrown) {
        if (stop.signal.aborted) return;
        const error = thrown instanceof ApiError ? thrown.message : "The tool cannot be read.";
        setLoaded({ error });
      }
    };
    void load();
    return () => stop.abort();
  }, [api, name, times]);
  useSignedIn(() => {
    if (loaded?.detail === undefined) again();
  });
  if (loaded === undefined) return <Loading what="tool" />;
  if (loaded.detail !== undefined) return <ToolView {...props} detail={loaded.detail} />;
  return (
    <Notice kind="bad">
      <p>
        <ExternalText text={loaded.error} />
      </p>
      <Button onClick={again}>Try again</Button>
    </Notice>
  );
}
