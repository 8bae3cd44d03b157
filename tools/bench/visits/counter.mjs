// Loaded before a program (`node --import`): counts how often each function runs. For each message from the parent
// process, it sends the counts since the last one.
import { Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const MODULE = /\/packages\/([^/]+)\/build\/(.*)$/;

process.on("message", () => {
  session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
    const files = result.flatMap(({ url, functions }) => {
      const [, name, file] = MODULE.exec(url) ?? [];
      if (file === undefined) return [];
      const counts = functions.map(({ functionName, ranges: [{ count, startOffset }] }) => ({
        name: functionName,
        at: startOffset,
        count,
      }));
      return [{ file: `${name}/${file}`, functions: counts.filter(({ count }) => count > 0) }];
    });
    process.send(files);
  });
});
// The channel alone does not keep the program running.
process.channel.unref();
