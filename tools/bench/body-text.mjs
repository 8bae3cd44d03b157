/**
 * The text of an HTTP message's body, once all of it is here. By events: to read the stream as an
 * async iterator costs what is measured more than the rest of a small request.
 * @param {import("node:http").IncomingMessage} message
 * @returns {Promise<string>} rejected where the message breaks off
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
