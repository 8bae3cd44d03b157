import type { CapturedFrame } from "./line.ts";
import { readCaptureFile } from "./read-file.ts";

/** A frame of a capture, and where it is in the file. */
export interface CaptureFileFrame {
  /** Its line number, from 1. */
  readonly number: number;
  readonly frame: CapturedFrame;
  readonly bytes: Uint8Array;
  readonly redactions: number;
}

/** The method to assume if the method is unknown. */
export const TOOLS_LIST_METHOD = "tools/list";

function questionKey(server: string, method: string): string {
  return JSON.stringify([server, method]);
}

/** Responses to the gateway's own requests, in order: by server and method, then by conversation. */
export class OwnResponses {
  readonly #answers: Map<string, Map<string, CaptureFileFrame[]>> = new Map();

  /** @throws Error if the file cannot be read */
  static async in(file: string): Promise<OwnResponses> {
    const answers = new OwnResponses();
    for await (const { number, line } of readCaptureFile(file)) {
      if (!("kind" in line) || line.kind !== "frame") continue;
      const { frame, bytes, redactions } = line;
      if (frame.from === "server" && frame.to === "gateway") {
        answers.#add({ number, frame, bytes, redactions });
      }
    }
    return answers;
  }

  #add(answer: CaptureFileFrame): void {
    const { server, connection, answers: method = TOOLS_LIST_METHOD } = answer.frame;
    const key = questionKey(server, method);
    const ofServer = this.#answers.get(key) ?? new Map<string, CaptureFileFrame[]>();
    this.#answers.set(key, ofServer);
    const own = ofServer.get(connection) ?? [];
    own.push(answer);
    ofServer.set(connection, own);
  }

  /** Returns the next response of the conversation, or else the first response of another conversation. */
  take(server: string, method: string, connection: string): CaptureFileFrame | undefined {
    const ofServer = this.#answers.get(questionKey(server, method));
    const own = ofServer?.get(connection)?.shift();
    if (own !== undefined) return own;
    for (const others of ofServer?.values() ?? []) if (others.length > 0) return others.shift();
    return undefined;
  }
}
