import type { Readable } from "node:stream";
import { type Ends, EndsKeeper } from "../ends.ts";
import { END_BYTES } from "../stdio/lines.ts";
import { BodyTooLargeError, readBody } from "./body.ts";

/**
 * Reads the body of a request whole; of one over the limit the ends and the outline, in which its ids are
 * found. It is read over to its end, so that the client gets to read the answer; how long that may take is the
 * listener's affair.
 * @throws Error where the client leaves before the end
 */
export async function readRequest(stream: Readable, limit: number): Promise<Uint8Array | Ends> {
  try {
    return await readBody(stream, limit);
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    const keeper = new EndsKeeper(END_BYTES, true);
    for (const part of error.parts.splice(0)) keeper.push(part);
    await readOver(stream, (part) => keeper.push(part));
    return keeper.take();
  }
}

function readOver(stream: Readable, take: (part: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = (): void =>
      reject(new Error("the connection was closed in the middle of the body"));
    if (stream.destroyed) cut();
    else
      stream
        .on("data", take)
        .once("end", resolve)
        .once("error", reject)
        .once("close", cut)
        .resume();
  });
}
