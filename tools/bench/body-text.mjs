/**
 * Returns the text of an HTTP message's body once it is complete. Uses events: reading the stream as an async
 * iterator would cost the measured process more than the rest of a small request.
 * @param {import("node:http").IncomingMessage} message
 * @returns {Promise<string>} rejected if the message breaks off
 */
export function bodyText(message) {
  return new Promise((resolve, reject) => {
    let text = "";
    message.setEncoding("utf8");
    message.on("data", (chunk) => {
      text += chunk;
    });
    message.on("error", reject);
    message.on("end", () => resolve(text));
  });
}
