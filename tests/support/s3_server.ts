/**
 * An imitation of Amazon S3 on the loopback interface. It checks signatures and parts as S3 does
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, 2026-11-26), by
 * separate code.
 */

import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";

export const S3_KEYS = { id: "AKIDEXAMPLE", secret: "secret/of+the=test" };
const REGION = "eu-test-1";
/** S3 rejects parts below this size, in bytes, except for the last one. */
const MIN_PART_BYTES = 5 * 1024 * 1024;

interface StoredObject {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** The variables of a client. */
  readonly env: Readonly<Record<string, string>>;
  /** By path, such as `/bucket/key`. */
  readonly objects: Map<string, StoredObject>;
  /** Multipart uploads that have been neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Uint8Array>>;
  /** `METHOD /path?query` of each request. */
  readonly requests: string[];
  /** Answers to the next requests, instead of the correct ones. */
  readonly faults: ((request: string) => Response | undefined)[];
}

export function startS3(): S3Server {
  const objects: S3Server["objects"] = new Map();
  const uploads: S3Server["uploads"] = new Map();
  const requests: string[] = [];
  const faults: S3Server["faults"] = [];
  const kept = new Map<string, Readonly<Record<string, string>>>();

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const line = `${request.method} ${url.pathname}${url.search}`;
    requests.push(line);
    const fault = faults.shift()?.(line);
    if (fault !== undefined) return fault;
    const refused = faultOf(request, url, body);
    if (refused !== undefined) return error(403, refused);
    const path = decodeURIComponent(url.pathname);
    const uploadId = url.searchParams.get("uploadId");
    const parts = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && parts === undefined) return error(404, "NoSuchUpload");
    switch (request.method) {
      case "HEAD": {
        const found = objects.get(path);
        if (found === undefined) return new Response(null, { status: 404 });
        return new Response(null, {
          headers: { ...found.metadata, "content-length": String(found.bytes.length) },
        });
      }
      case "PUT": {
        if (parts === undefined) objects.set(path, { bytes: body, metadata: metadataOf(request) });
        parts?.set(Number(url.searchParams.get("partNumber")), body);
        return new Response(null, { headers: { etag: `"${sha256(body)}"` } });
      }
      case "DELETE":
        if (uploadId !== null) uploads.delete(uploadId);
        return new Response(null, { status: 204 });
      case "POST": {
        if (parts === undefined || uploadId === null) {
          const id = `upload&${uploads.size + 1}`;
          uploads.set(id, new Map());
          kept.set(id, metadataOf(request));
          return new Response(`<Result><UploadId>${id.replace("&", "&amp;")}</UploadId></Result>`);
        }
        const listed = [
          ...new TextDecoder().decode(body).matchAll(
            /<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag>/g,
          ),
        ];
        const stored = listed.map(([, number, tag]) => {
          const part = parts.get(Number(number));
          return part !== undefined && sha256(part) === tag ? part : undefined;
        });
        const isSmall = stored.slice(0, -1).some((part = body) => part.length < MIN_PART_BYTES);
        if (stored.includes(undefined) || listed.length !== parts.size) {
          return error(400, "InvalidPart");
        }
        if (isSmall) return error(400, "EntityTooSmall");
        const bytes = new Uint8Array(Buffer.concat(stored as Uint8Array[]));
        objects.set(path, { bytes, metadata: kept.get(uploadId) ?? {} });
        uploads.delete(uploadId);
        return new Response("<CompleteMultipartUploadResult/>");
      }
      default:
        return error(405, "MethodNotAllowed");
    }
  }

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}`;
  return {
    ...{ url, objects, uploads, requests, faults },
    env: {
      AWS_ACCESS_KEY_ID: S3_KEYS.id,
      AWS_SECRET_ACCESS_KEY: S3_KEYS.secret,
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL_S3: url,
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

function error(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code><Message>of a test</Message></Error>`, {
    status,
  });
}

function metadataOf({ headers }: Request): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-amz-meta-")));
}

/** The code of the error for a signature that is wrong. */
function faultOf(request: Request, url: URL, body: Uint8Array): string | undefined {
  const { headers, method } = request;
  const [, id, day = "", region = "", service = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
      .exec(headers.get("authorization") ?? "") ?? [];
  if (id !== S3_KEYS.id) return "InvalidAccessKeyId";
  const hash = headers.get("x-amz-content-sha256") ?? "";
  const signed = names.split(";");
  const unsigned = [...headers.keys()].filter((name) =>
    name.startsWith("x-amz-") && !signed.includes(name)
  );
  if (unsigned.length > 0 || !signed.includes("host")) return "AccessDenied";
  if (region !== REGION || service !== "s3") return "AuthorizationHeaderMalformed";
  if (hash !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const query = [...url.searchParams].map(([name, value]) => `${uri(name)}=${uri(value)}`).sort();
  const canonical = [
    method,
    decodeURIComponent(url.pathname).split("/").map(uri).join("/"),
    query.join("&"),
    ...signed.map((name) => `${name}:${(headers.get(name) ?? "").trim()}`),
    "",
    names,
    hash,
  ].join("\n");
  const time = headers.get("x-amz-date") ?? "";
  if (!time.startsWith(day)) return "AccessDenied";
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${S3_KEYS.secret}`,
  );
  const expected = createHmac("sha256", key).update(text).digest("hex");
  return expected === signature ? undefined : "SignatureDoesNotMatch";
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function uri(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
