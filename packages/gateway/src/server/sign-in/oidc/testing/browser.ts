/** A model of a browser's cookies and redirects on loopback: cookies belong to a host, whatever its port. */
export class Browser {
  /** By host and name. */
  readonly cookies = new Map<string, string>();
  /** The URLs of all requests, oldest first. */
  readonly visited: string[] = [];

  /** Sends a request with the host's cookies, and keeps those of the response. Follows no redirect. */
  async visit(url: string, init: RequestInit = {}): Promise<Response> {
    const { hostname } = new URL(url);
    this.visited.push(url);
    const sent = [...this.cookies].flatMap(([key, value]) => {
      const [host, name] = key.split(" ");
      return host === hostname ? [`${name}=${value}`] : [];
    });
    const headers = new Headers(init.headers);
    if (sent.length > 0) headers.set("cookie", sent.join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const [name = "", value = ""] = [
        pair.slice(0, pair.indexOf("=")),
        pair.slice(pair.indexOf("=") + 1),
      ];
      const isOver =
        attributes.some((each) => /^max-age=0$/i.test(each)) ||
        /expires=Thu, 01 Jan 1970/i.test(line);
      if (isOver) this.cookies.delete(`${hostname} ${name}`);
      else this.cookies.set(`${hostname} ${name}`, value);
    }
    return response;
  }

  /** Follows redirects, until one leads to a URL that begins with `until`, which is not visited. */
  async follow(url: string, until: string, init: RequestInit = {}): Promise<Response> {
    let response = await this.visit(url, init);
    let at = url;
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status >= 400) break;
      at = new URL(location, at).href;
      if (at.startsWith(until)) break;
      await response.body?.cancel();
      response = await this.visit(at);
    }
    return response;
  }
}
