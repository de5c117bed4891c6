/** Proxies by the variables of the environment, and the hosts that they are not for. */

import { assertEquals, assertThrows } from "@std/assert";
import { readEnvironmentProxies } from "../../../src/process/config/network_clients.ts";
import { StartError } from "../../../src/process/system/stdio.ts";

const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
  .flatMap((name) => [name, name.toLowerCase()]).concat("REQUEST_METHOD");

/** The proxy for a URL with these variables: its setting, host and port. */
function proxyFor(url: string, variables: Record<string, string>): string | undefined {
  const before = NAMES.map((name) => [name, Deno.env.get(name)] as const);
  for (const name of NAMES) Deno.env.delete(name);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    const proxy = readEnvironmentProxies()(new URL(url));
    return proxy && `${proxy.setting} ${proxy.scheme} ${proxy.host} ${proxy.port}`;
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

Deno.test("the scheme of the vendor decides, and ALL_PROXY is for the others", () => {
  const all = { HTTP_PROXY: "http://a:1", https_proxy: "b.test:2", ALL_PROXY: "socks5://c" };
  assertEquals(proxyFor("http://v.test", all), "HTTP_PROXY http a 1");
  assertEquals(proxyFor("https://v.test", all), "https_proxy http b.test 2");
  assertEquals(proxyFor("https://v.test", { ALL_PROXY: "socks5://c" }), "ALL_PROXY socks5 c 1080");
  assertEquals(proxyFor("http://v.test", { HTTPS_PROXY: "http://b", HTTP_PROXY: "" }), undefined);
  const cgi = { HTTP_PROXY: "http://a:1", REQUEST_METHOD: "POST" };
  assertEquals(proxyFor("http://v.test", cgi), undefined);
});

Deno.test("NO_PROXY names hosts with their subdomains, addresses and networks", () => {
  const is = (url: string, list: string) =>
    proxyFor(url, { ALL_PROXY: "http://a", NO_PROXY: list }) === undefined;
  for (
    const [url, list, expected] of [
      ["https://v.test", "v.test", true],
      ["https://api.v.test", " other , V.test", true],
      ["https://api.v.test", ".v.test", true],
      ["https://v.test", "*.v.test", true],
      ["https://xv.test", "v.test", false],
      ["https://v.test", "*", true],
      ["https://10.1.2.3", "10.0.0.0/8", true],
      ["https://11.1.2.3", "10.0.0.0/8", false],
      ["https://127.0.0.1:8443", "127.0.0.1", true],
      ["https://[2001:db8::1]", "2001:db8::/32", true],
      ["https://[2001:db9::1]", "2001:db8::/32", false],
      ["https://[::1]", "[::1]", true],
      ["https://v.test", "", false],
      ["https://v.test", ",", false],
    ] as const
  ) assertEquals(is(url, list), expected, `${url} by ${list}`);
});

Deno.test("a variable that is not the URL of a proxy is a fault of the start", () => {
  for (const value of ["ftp://a", "http://"]) {
    assertThrows(
      () => proxyFor("https://v.test", { HTTPS_PROXY: value }),
      StartError,
      "HTTPS_PROXY is not the URL of a proxy",
    );
  }
});
