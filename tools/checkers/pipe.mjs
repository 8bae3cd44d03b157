// A server that a checker starts as a child process: it connects its standard input and output to the suite's
// scripted server, through a port of this machine. `node pipe.mjs PORT`.
import { connect } from "node:net";

const socket = connect(Number(process.argv[2]), "127.0.0.1");
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("error", () => process.exit(1));
socket.on("close", () => process.exit(0));
