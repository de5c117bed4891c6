/**
 * A bucket of Amazon S3, or of a server with its API
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html, 2026-11-26).
 */

import type { StopSignal } from "../../core/stop_signal.ts";
import { createHash } from "node:crypto";
import { type Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { awsHost } from "../../providers/shared/aws_hosts.ts";
import { fetchAwsCredentials } from "../credentials/aws/ambient.ts";
import type { AwsCredentials } from "../credentials/aws/sts.ts";
import { signAws } from "../credentials/aws_signature.ts";
import { LiveCredentials } from "../credentials/live_credentials.ts";
import type { ServiceDeps } from "../credentials/service_request.ts";
import { readText } from "../read_response.ts";
import { send, type VendorResponse } from "../transport.ts";

/** Where a bucket is. */
export interface BucketPlace {
  readonly bucket: string;
  readonly region: string;
  /** The URL of a server with the API of S3; Amazon's if omitted. */
  readonly endpoint?: string | undefined;
}

/** What is known about an object without its content. */
export interface ObjectHead {
  /** In bytes. */
  readonly size: number;
  /** A value of the object's metadata. */
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

/** The time limit of a request, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** Attempts of a request that the server or the network fails. */
const MAX_ATTEMPTS = 5;
/** The wait before the second attempt in milliseconds, which doubles then. */
const FIRST_WAIT_MS = 250;
/** Server errors, and `SlowDown`. */
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);

/** Requests are signed with the credentials of the machine, and tried again if the server fails. */
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

  /** Undefined if there is no such object. */
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

  /** Begins an object in parts. Returns the ID of the upload. */
  async beginUpload(key: string, metadata: Metadata): Promise<string> {
    const request = { method: "POST", key, query: { uploads: "" }, headers: toHeaders(metadata) };
    const { text } = await this.#ask(request);
    const id = memberOf(text, "UploadId");
    if (id === undefined) throw failure("it sent no ID of an upload");
    return id;
  }

  /** @param number from 1 */
  async putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<Part> {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.#ask({ method: "PUT", key, query, body });
    const tag = headers.get("etag") ?? undefined;
    if (tag === undefined) throw failure("it sent no tag of a part");
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
    // The status is sent before the work is done.
    const code = memberOf(text, "Code");
    if (code !== undefined) throw failure(code);
  }

  /** Removes the parts of an upload that is not ended. */
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

/** Names of buckets with a dot have no certificate as a part of the host. */
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

/** As signatures encode names (RFC 3986). */
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

/** The text of the first element of a name. */
function memberOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** @param code of the server, such as `NoSuchBucket` */
function failure(code: string | undefined, status?: number): GatewayError {
  const details = [...(status === undefined ? [] : [`status ${status}`]), ...(code ? [code] : [])];
  return new GatewayError("upstream_error", `The object storage refused: ${details.join(", ")}`);
}

const TRANSIENT = new Set(["upstream_unavailable", "upstream_timeout"]);

function isTransient(thrown: unknown): boolean {
  return thrown instanceof GatewayError && TRANSIENT.has(thrown.kind);
}

function wait(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
