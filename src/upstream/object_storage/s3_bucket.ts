/**
 * A bucket in Amazon S3 or on a server with the same API
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html, 2026-11-26).
 */

import type { StopSignal } from "../../core/stop_signal.ts";
import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { awsHost } from "../../providers/shared/aws_hosts.ts";
import { fetchAwsCredentials } from "../credentials/aws/ambient.ts";
import type { AwsCredentials } from "../credentials/aws/sts.ts";
import { signAws } from "../credentials/aws_signature.ts";
import { LiveCredentials } from "../credentials/live_credentials.ts";
import type { ServiceDeps } from "../credentials/service_request.ts";
import { readText } from "../read_response.ts";
import { send, type VendorResponse } from "../transport.ts";
import { Buffer } from "node:buffer";

/** The location of a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  readonly region: string;
  /** The URL of a server with the S3 API; Amazon's if omitted. */
  readonly endpoint?: string | undefined;
}

/** The metadata of an object. */
interface ObjectHead {
  /** In bytes. */
  readonly size: number;
  /** A value in the object's metadata. */
  readonly metadata: (name: string) => string | undefined;
}

type Metadata = Readonly<Record<string, string>>;

/** A part of an object that is uploaded in parts. */
interface Part {
  readonly number: number;
  readonly tag: string;
}

interface BucketRequest {
  readonly method: string;
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface BucketAnswer extends Pick<VendorResponse, "status" | "headers"> {
  readonly text: string;
}

/** The time limit for a request, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** The maximum number of attempts per request if the server or the network fails. */
const MAX_ATTEMPTS = 5;
/** The wait before the second attempt in milliseconds; doubled for each further one. */
const FIRST_WAIT_MS = 250;
/** Server errors, and `SlowDown`. */
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

/** Requests are signed with the machine's credentials, and retried if the server fails. */
export class S3Bucket {
  readonly #place: BucketPlace;
  readonly #env: (name: string) => string | undefined;
  readonly #deps: ServiceDeps;
  readonly #credentials = new LiveCredentials<AwsCredentials>();

  constructor(
    place: BucketPlace,
    env: (name: string) => string | undefined,
    deps: ServiceDeps,
  ) {
    this.#place = place;
    this.#env = env;
    this.#deps = deps;
  }

  /** Undefined if the object does not exist. */
  async head(key: string): Promise<ObjectHead | undefined> {
    const { status, headers } = await this.#ask({ method: "HEAD", key }, [404]);
    if (status === 404) return undefined;
    return {
      size: Number(headers.get("content-length")),
      metadata: (name) => headers.get(`x-amz-meta-${name}`) ?? undefined,
    };
  }

  async put(key: string, body: Uint8Array, metadata: Metadata): Promise<void> {
    await this.#ask({ method: "PUT", key, body, headers: toHeaders(metadata) });
  }

  /** Begins a multipart upload. Returns the upload ID. */
  async beginUpload(key: string, metadata: Metadata): Promise<string> {
    const request = { method: "POST", key, query: { uploads: "" }, headers: toHeaders(metadata) };
    const { text } = await this.#ask(request);
    const id = memberOf(text, "UploadId");
    if (id === undefined) throw failure("it sent no upload ID");
    return id;
  }

  /** @param number from 1 */
  async putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<Part> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.#ask({ method: "PUT", key, query, body });
    const tag = headers.get("etag") ?? undefined;
    if (tag === undefined) throw failure("it sent no part tag");
    return { number, tag };
  }

  async endUpload(key: string, uploadId: string, parts: readonly Part[]): Promise<void> {
    const members = parts.map(({ number, tag }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${escape(tag)}</ETag></Part>`
    );
    const body = new TextEncoder().encode(
      `<CompleteMultipartUpload>${members.join("")}</CompleteMultipartUpload>`,
    );
    const { text } = await this.#ask({ method: "POST", key, query: { uploadId }, body });
    // The server sends the status before it has finished, so the body may contain an error.
    const code = memberOf(text, "Code");
    if (code !== undefined) throw failure(code);
  }

  /** Removes the parts of an incomplete upload. */
  async abandonUpload(key: string, uploadId: string): Promise<void> {
    await this.#ask({ method: "DELETE", key, query: { uploadId } }, [404]);
  }

  async #ask(request: BucketRequest, accepted: readonly number[] = []): Promise<BucketAnswer> {
    for (let attempt = 1;; attempt++) {
      const isLast = attempt === MAX_ATTEMPTS;
      try {
        const answer = await this.#send(request);
        const { status, text } = answer;
        if ((status >= 200 && status < 300) || accepted.includes(status)) return answer;
        if (isLast || !RETRIED.has(status)) throw failure(memberOf(text, "Code"), status);
      } catch (thrown) {
        if (isLast || !isTransient(thrown)) throw thrown;
      }
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), this.#deps.clock);
    }
  }

  async #send({ method, key, query = {}, headers, body }: BucketRequest): Promise<BucketAnswer> {
    const { clock, fetch } = this.#deps;
    const url = toUrl(this.#place, key, query);
    const hash = createHash("sha256").update(body ?? "").digest("hex");
    const unsigned = {
      ...{ url, method, headers: { ...headers, "x-amz-content-sha256": hash } },
      ...(body !== undefined && { body }),
    };
    const scope = { service: "s3", region: this.#place.region };
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = clock.after(TIMEOUT_MS, () => {
      controller.abort(new GatewayError("upstream_timeout", "The object storage timed out"));
    });
    try {
      const signed = await signAws(unsigned, await this.#keys(signal), scope, clock.wallTime());
      const response = await send(signed, { name: "object storage" }, signal, fetch);
      return {
        status: response.status,
        headers: response.headers,
        text: await readText(response, signal),
      };
    } finally {
      cancel();
    }
  }

  #keys(signal: StopSignal): Promise<AwsCredentials> {
    const settings = { options: { region: this.#place.region }, env: this.#env };
    const obtain = () => fetchAwsCredentials(settings, this.#deps);
    return this.#credentials.get("", obtain, { clock: this.#deps.clock, signal });
  }
}

/** Certificates do not cover bucket names with a dot as part of the host name. */
function toUrl(
  { bucket, region, endpoint }: BucketPlace,
  key: string,
  query: Readonly<Record<string, string>>,
): string {
  const isHost = endpoint === undefined && !bucket.includes(".");
  const base = (endpoint ?? awsHost("s3", region)).replace(/\/+$/, "");
  const host = isHost ? base.replace("://", `://${bucket}.`) : `${base}/${encode(bucket)}`;
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encode(value)}`);
  const path = key.split("/").map(encode).join("/");
  return `${host}/${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

/** The encoding for names in signatures (RFC 3986). */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function toHeaders(metadata: Metadata): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]),
  );
}

/** The text of the first XML element with a name. */
function memberOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** @param code the server's error code, such as `NoSuchBucket` */
function failure(code: string | undefined, status?: number): GatewayError {
  const details = [...(status === undefined ? [] : [`status ${status}`]), ...(code ? [code] : [])];
  return new GatewayError(
    "upstream_error",
    `The object storage rejected the request: ${details.join(", ")}`,
  );
}

const TRANSIENT = new Set(["upstream_unavailable", "upstream_timeout"]);

function isTransient(thrown: unknown): boolean {
  return thrown instanceof GatewayError && TRANSIENT.has(thrown.kind);
}

function wait(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** Part of a bucket. */
export interface BucketFolder extends BucketPlace {
  /** The prefix of object names; empty, or ending in a slash. */
  readonly prefix: string;
}

/** The scheme for bucket URLs. */
export const BUCKET_SCHEME = "s3://";
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html (2026-11-26) */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*))?$/;
/** The region for servers that have none. */
const OTHER_REGION = "us-east-1";

/**
 * The region and the server come from AWS's variables.
 *
 * @param endpoint takes precedence over the variable
 * @throws {GatewayError} `invalid_request`
 */
export function readBucketUrl(
  url: string,
  endpoint: string | undefined,
  env: (name: string) => string | undefined,
): BucketFolder {
  const [, bucket, path = ""] = BUCKET_URL.exec(url) ?? [];
  if (bucket === undefined) throw invalid(`The URL must be like '${BUCKET_SCHEME}BUCKET/PREFIX'`);
  const server = endpoint ?? env("AWS_ENDPOINT_URL_S3") ?? env("AWS_ENDPOINT_URL");
  if (server !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(server)) {
    throw invalid("The endpoint must be like 'https://HOST:PORT'");
  }
  const region = env("AWS_REGION") ?? env("AWS_DEFAULT_REGION") ??
    (server === undefined ? undefined : OTHER_REGION);
  if (region === undefined) throw invalid("The region is not known: set AWS_REGION");
  return { bucket, prefix: path.replace(/([^/])\/*$/, "$1/"), region, endpoint: server };
}

function invalid(message: string): GatewayError {
  return new GatewayError("invalid_request", message);
}

/**
 * Bytes of a part. S3 requires at least 5 MiB, except for the last part, and accepts at most 10,000
 * parts.
 */
const PART_BYTES = 16 * 1024 * 1024;

export class S3Upload {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #partBytes: number;
  readonly #parts: Awaited<ReturnType<S3Bucket["putPart"]>>[] = [];
  #id: string | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;

  constructor(
    bucket: S3Bucket,
    key: string,
    metadata: Readonly<Record<string, string>>,
    partBytes = PART_BYTES,
  ) {
    this.#partBytes = partBytes;
    this.#bucket = bucket;
    this.#key = key;
    this.#metadata = metadata;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#size += bytes.length;
    if (this.#waitingBytes >= this.#partBytes) await this.#putPart();
  }

  /** Makes the object visible. Returns its size in bytes. */
  async end(): Promise<number> {
    if (this.#id === undefined) {
      await this.#bucket.put(this.#key, this.#takeWaiting(), this.#metadata);
      return this.#size;
    }
    if (this.#waitingBytes > 0) await this.#putPart();
    await this.#bucket.endUpload(this.#key, this.#id, this.#parts);
    this.#id = undefined;
    return this.#size;
  }

  /** Removes the uploaded parts if the object is incomplete. */
  async abandon(): Promise<void> {
    if (this.#id !== undefined) await this.#bucket.abandonUpload(this.#key, this.#id);
  }

  async #putPart(): Promise<void> {
    this.#id ??= await this.#bucket.beginUpload(this.#key, this.#metadata);
    const number = this.#parts.length + 1;
    const part = await this.#bucket.putPart(this.#key, this.#id, number, this.#takeWaiting());
    this.#parts.push(part);
  }

  #takeWaiting(): Uint8Array {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}
