/** Writes a form with a file, or just a file, as the body of a vendor request. */

import { Buffer } from "node:buffer";
import type { FormField, UploadedFile, VendorForm, VendorUpload } from "../contract/form.ts";
import type { Provider } from "../config/config.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";
import { toOutgoing } from "./credentials/credentials.ts";
import type { OutgoingRequest, RequestBody } from "./transport.ts";

/** A request with a form or a file instead of JSON, without credentials. */
export function toUploadRequest(
  { form, upload, ...request }: VendorRequest,
  provider: Provider,
  newId: (prefix: string) => string,
): OutgoingRequest {
  if (upload !== undefined) {
    const headers = { "content-type": upload.file.type, ...request.headers };
    return toOutgoing({ ...request, headers }, toFileBody(upload), provider);
  }
  if (form === undefined) throw new TypeError("The request has no form");
  const boundary = newId("form-");
  const headers = { "content-type": formType(boundary), ...request.headers };
  return toOutgoing({ ...request, headers }, toFormBody(form, boundary), provider);
}

/** A form's media type. */
function formType(boundary: string): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/**
 * The body, in one piece if the file is complete, so that it can be sent again; otherwise streamed
 * as the file arrives.
 */
function toFormBody(form: VendorForm, boundary: string): RequestBody {
  const { fields, file, images = [] } = form;
  const head = [encoded(fields.map((field) => writeField(field, boundary)).join(""))];
  for (const image of images) {
    head.push(encoded(writeHead(image.name, image, boundary)), image.bytes, encoded("\r\n"));
  }
  if (file === undefined) return Buffer.concat([...head, encoded(`--${boundary}--\r\n`)]);
  head.push(encoded(writeHead("file", file, boundary)));
  const { whole } = file;
  if (whole === undefined) return streamed(Buffer.concat(head), file, form, boundary);
  return Buffer.concat([...head, whole, encoded(`\r\n--${boundary}--\r\n`)]);
}

/** A file as a body: in one piece if it is complete, otherwise streamed as it arrives. */
function toFileBody({ file, onLateField }: VendorUpload): RequestBody {
  const { whole } = file;
  if (whole === undefined) return arriving(file, onLateField);
  file.lateFields.forEach(onLateField);
  return whole;
}

async function* arriving(
  file: UploadedFile,
  onLateField: VendorUpload["onLateField"],
): AsyncGenerator<Uint8Array> {
  yield* file.read();
  file.lateFields.forEach(onLateField);
}

async function* streamed(
  head: Uint8Array,
  file: UploadedFile,
  { toLateField }: VendorForm,
  boundary: string,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* file.read();
  const late = file.lateFields.flatMap((field) => {
    const own = toLateField?.(field);
    return own === undefined ? [] : [writeField(own, boundary)];
  });
  yield encoded(`\r\n${late.join("")}--${boundary}--\r\n`);
}

function writeField([name, value]: FormField, boundary: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"\r\n\r\n` +
    `${value}\r\n`;
}

function writeHead(
  name: string,
  { filename, type }: Pick<UploadedFile, "filename" | "type">,
  boundary: string,
): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"; ` +
    `filename="${escaped(filename)}"\r\ncontent-type: ${type}\r\n\r\n`;
}

/** Encodes names as browsers do (https://html.spec.whatwg.org/#multipart-form-data, 2026-11). */
function escaped(name: string): string {
  return name.replace(/\r\n?|\n/g, "%0D%0A").replaceAll('"', "%22");
}

function encoded(text: string): Uint8Array {
  return encoder.encode(text);
}

const encoder = new TextEncoder();
