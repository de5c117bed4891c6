/** The URL of a bucket, with the region and the server that the environment names. */

import { assertEquals, assertThrows } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { readBucketUrl } from "../../src/upstream/object_storage/s3_bucket.ts";

function read(url: string, env: Record<string, string> = {}, endpoint?: string) {
  return readBucketUrl(url, endpoint, (name) => env[name]);
}

const REGION = { AWS_REGION: "eu-central-1" };

Deno.test("a bucket's URL has a name and a prefix, which ends with one slash", () => {
  const prefixOf = (path: string) => read(`s3://my-bucket${path}`, REGION).prefix;
  assertEquals(read("s3://my-bucket", REGION), {
    ...{ bucket: "my-bucket", prefix: "", region: "eu-central-1", endpoint: undefined },
  });
  assertEquals(["/", "//", "/a", "/a/", "/a/b//"].map(prefixOf), ["", "", "a/", "a/", "a/b/"]);
  for (const url of ["", "s3://", "s3://a", "s3://-abc", "s3://Abc", "https://abc", "s3://a_bc"]) {
    assertThrows(() => read(url, REGION), GatewayError, "s3://BUCKET/PREFIX");
  }
});

Deno.test("an endpoint of the command line precedes those of variables", () => {
  const own = "http://127.0.0.1:9000";
  const all = { AWS_ENDPOINT_URL_S3: "https://s3.test", AWS_ENDPOINT_URL: "https://all.test" };
  assertEquals(read("s3://abc", all, own).endpoint, own);
  assertEquals(read("s3://abc", all).endpoint, "https://s3.test");
  assertEquals(
    read("s3://abc", { AWS_ENDPOINT_URL: "https://all.test" }).endpoint,
    "https://all.test",
  );
  for (const wrong of ["127.0.0.1", "ftp://s3.test", "https://s3.test/path", "https://a@s3.test"]) {
    assertThrows(() => read("s3://abc", REGION, wrong), GatewayError, "https://HOST:PORT");
  }
});

Deno.test("the region is that of a variable, and servers other than AWS's need none", () => {
  const other = { AWS_DEFAULT_REGION: "us-west-2" };
  assertEquals(read("s3://abc", { ...REGION, ...other }).region, "eu-central-1");
  assertEquals(read("s3://abc", other).region, "us-west-2");
  assertEquals(read("s3://abc", {}, "https://s3.test").region, "us-east-1");
  assertThrows(() => read("s3://abc"), GatewayError, "AWS_REGION");
});
