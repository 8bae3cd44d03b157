import { readFrame } from "@touchstone/protocol";

/** The JSON texts of the answer to one question, each of which comes, or never does. */
export class AnswerTexts {
  readonly result: Promise<string>;
  readonly error: Promise<string>;
  #takeResult: (text: string) => void = () => {};
  #takeError: (text: string) => void = () => {};

  constructor() {
    this.result = new Promise((resolve) => {
      this.#takeResult = resolve;
    });
    this.error = new Promise((resolve) => {
      this.#takeError = resolve;
    });
  }

  /**
   * Takes a message that came, which may be the answer.
   * @param idKey of the question; absent while it has yet to be sent
   */
  take(message: Uint8Array, idKey: string | undefined): void {
    if (idKey === undefined) return;
    const frame = readFrame(message);
    if (frame.idKey !== idKey) return;
    const { result, error } = frame.ranges;
    if (result !== undefined) this.#takeResult(frame.text(result));
    else if (error !== undefined) this.#takeError(frame.text(error));
  }
}
