/** The gateway could not listen where it was told to. */
export class ListenError extends Error {
  override readonly name: string = "ListenError";
}

/** What is wrong with an address, and what to do. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const where = `${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new ListenError(
        `cannot listen on ${where}: the port is in use. Choose another with --listen`,
      );
    case "EACCES":
      return new ListenError(
        `cannot listen on ${where}: ${notAllowed(port)}. Choose another with --listen`,
      );
    case "ENOTFOUND":
    case "EADDRNOTAVAIL":
      return new ListenError(`cannot listen on ${where}: this machine has no such address`);
    default:
      return new ListenError(`cannot listen on ${where}: ${error.message}`);
  }
}

function notAllowed(port: number): string {
  return port < 1024 ? "ports below 1024 need more rights" : "the system does not allow it";
}
