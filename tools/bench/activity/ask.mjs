// `node ask.mjs URL MS`: requests a URL again and again for MS milliseconds. It is a separate process, so that the
// process that measures calls does not wait for the responses read here.
const [url, ms] = process.argv.slice(2);
const until = performance.now() + Number(ms);
while (performance.now() < until) {
  const { body, status } = await fetch(url);
  if (status !== 200) throw new Error(`${url} was answered ${status}`);
  for await (const piece of body) {
    void piece;
    if (performance.now() > until) break;
  }
}
