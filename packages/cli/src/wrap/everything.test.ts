import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  type Calls,
  expectOneRecordEach,
  expectSameBytes,
  failed,
  through,
} from "../testing/conversation.ts";
import { describeSdks } from "../testing/sdk-clients.ts";
import { EVERYTHING_SERVER } from "../testing/touchstone.ts";

const EVERYTHING: Calls = {
  echo: { message: "é \u2028 \u{1f600}" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-env": {},
  "get-resource-links": { count: 2 },
  "get-resource-reference": { resourceType: "Blob", resourceId: 2 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 0.1, b: 2 },
  "get-tiny-image": {},
  "gzip-file-as-resource": { data: "data:text/plain,hello", outputType: "resource" },
  // Called twice, so that the second call turns it off again.
  "toggle-simulated-logging": [{}, {}],
  "toggle-subscriber-updates": [{}, {}],
  "trigger-long-running-operation": { duration: 0.02, steps: 2 },
  "get-roots-list": {},
  "trigger-elicitation-request": {},
  "trigger-url-elicitation": { url: "https://example.com/" },
  "trigger-sampling-request": { prompt: "hello" },
  "simulate-research-query": { topic: "touch" },
};

describeSdks("v2 auto", (sdk) => {
  it("lists and calls every tool of server-everything, bytes unchanged", long, async () => {
    const talk = await through(sdk, [EVERYTHING_SERVER], EVERYTHING);
    expect(talk.tools.sort()).toEqual(Object.keys(EVERYTHING).sort());
    // SDK v2 does not support tasks, which this tool requires.
    expect(failed(talk)).toEqual(sdk === "v1" ? [] : ["simulate-research-query"]);
    // Checked in the recorded bytes: if an SDK reads the last progress and the result at once, it drops the progress.
    const progress = talk.lines("client.out").filter((line) => line.includes('"progress":'));
    expect(progress).toHaveLength(2);
    expect(JSON.stringify(talk.results.get("trigger-sampling-request"))).toContain("sampled");
    expectSameBytes(talk);
    expectOneRecordEach(talk);
  });
});
