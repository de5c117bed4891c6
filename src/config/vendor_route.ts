/** Provider members that control how its vendor is reached: through a proxy, with certificates. */

import * as z from "zod";
import { SECRET } from "./values.ts";
import { isObject } from "../contract/chat.ts";
import type { PlacedError } from "./positions.ts";
import { withCheck } from "../core/validation_messages.ts";

/** How a vendor is reached if not directly with the system's certificates. */
export interface VendorRoute {
  /** The URL of the proxy; `direct` for none, regardless of the environment. */
  readonly proxy?: string | undefined;
  /** Certificates in PEM to trust, in addition to the system's. */
  readonly ca?: string | undefined;
  /** The client certificate in PEM and its private key. */
  readonly client?: { readonly cert: string; readonly key: string } | undefined;
}

const PROXY_SCHEMES = new Set(["http:", "https:", "socks5:", "socks5h:"]);

const proxy = z.string().refine((text) => text === "direct" || isProxyUrl(text), {
  error: "must be 'direct' or a URL such as http://proxy.example.com:3128",
});

const pem = (description: string) => z.string().min(1).optional().describe(description);

const tls = withCheck(
  z.strictObject({
    ca: pem(
      "Certificates of a private CA to trust for this vendor, in addition to the system's",
    ),
    cert: pem("Client certificate with its chain"),
    key: z.string().min(1).meta(SECRET).optional().describe(
      "Private key of the client certificate",
    ),
  }),
  ({ cert, key }) =>
    (cert === undefined) === (key === undefined)
      ? []
      : [{ message: "needs both 'cert' and 'key', or neither" }],
).meta({ id: "vendor_tls" });

/** A provider's settings. */
export const routeMembers = {
  proxy: proxy.optional().describe(
    "Proxy for requests to this vendor: a URL, or 'direct' for none; if omitted, HTTPS_PROXY and similar variables apply",
  ),
  tls: tls.optional().describe(
    "Certificates for connections to this vendor: files in PEM, read on each reload, or their text",
  ),
};

/** The provider members that define its route. */
export interface RouteEntry {
  readonly proxy?: string | undefined;
  readonly tls?: z.infer<typeof tls> | undefined;
}

/** A provider's route; undefined for the default. */
export function toVendorRoute(
  { proxy, tls: files }: RouteEntry,
  readFile: (path: string) => string,
): VendorRoute | undefined {
  if (proxy === undefined && files === undefined) return undefined;
  const { ca, cert, key } = files ?? {};
  return {
    ...(proxy !== undefined && { proxy }),
    ...(ca !== undefined && { ca: toPem(ca, readFile) }),
    ...(cert !== undefined && key !== undefined && {
      client: { cert: toPem(cert, readFile), key: toPem(key, readFile) },
    }),
  };
}

/** A route's secrets: the proxy password, and the lines of the private key. */
export function secretsOfRoute({ proxy, client }: VendorRoute = {}): string[] {
  const { password = "" } = proxy === undefined ? {} : URL.parse(proxy) ?? {};
  const lines = client?.key.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("-"));
  return [...(password === "" ? [] : [decodeURIComponent(password)]), ...lines ?? []];
}

/** Finds certificate files that cannot be read, in a document with any shape. */
export function checkRouteFiles(
  document: unknown,
  readFile: (path: string) => string,
): PlacedError[] {
  const providers = isObject(document) && isObject(document.providers) ? document.providers : {};
  return Object.entries(providers).flatMap(([id, provider]) => {
    const files = isObject(provider) && isObject(provider.tls) ? provider.tls : {};
    return ["ca", "cert", "key"].flatMap((name) => {
      const text = files[name];
      // The text of a reference without a value is unchanged.
      if (typeof text !== "string" || text === "" || text.includes("${")) return [];
      const message = pemFault(text, readFile);
      return message === undefined ? [] : [{ path: ["providers", id, "tls", name], message }];
    });
  });
}

function pemFault(text: string, readFile: (path: string) => string): string | undefined {
  try {
    if (isPem(toPem(text, readFile))) return undefined;
  } catch {
    return "is neither text in PEM nor a file that can be read";
  }
  return "the file is not in PEM: it has no line '-----BEGIN …'";
}

function toPem(text: string, readFile: (path: string) => string): string {
  return isPem(text) ? text : readFile(text);
}

function isPem(text: string): boolean {
  return text.includes("-----BEGIN ");
}

function isProxyUrl(text: string): boolean {
  const { protocol = "", hostname = "", pathname = "", search = "" } = URL.parse(text) ?? {};
  return PROXY_SCHEMES.has(protocol) && hostname !== "" && /^\/?$/.test(pathname) && search === "";
}
