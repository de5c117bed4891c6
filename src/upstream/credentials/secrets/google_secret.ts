/**
 * Google Cloud's Secret Manager
 * (https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access,
 * 2026-11-22).
 */

import { Buffer } from "node:buffer";
import { isText, toObject } from "../../../core/json/values.ts";
import { fetchGoogleCredentials } from "../google/ambient.ts";
import { unusable } from "../service_request.ts";
import type { ToSecretRequest } from "./secret_request.ts";

const SERVICE = "Google's Secret Manager";
const URL = "https://secretmanager.googleapis.com/v1";

/**
 * @param name `projects/P/secrets/S`, or `S` in the project of GOOGLE_CLOUD_PROJECT; with
 * `/versions/V` at its end for a version other than the latest
 */
export const googleSecret: ToSecretRequest = async (name, env, deps) => {
  const [, project = env("GOOGLE_CLOUD_PROJECT"), secret, version = "latest"] =
    /^(?:projects\/([\w:.-]+)\/secrets\/)?([\w-]+)(?:\/versions\/(\w+))?$/.exec(name) ?? [];
  if (secret === undefined) throw unusable("write projects/PROJECT/secrets/NAME");
  if (project === undefined) throw unusable("the project is not known: set GOOGLE_CLOUD_PROJECT");
  const { quotaProject, text: token } = await fetchGoogleCredentials(undefined, env, deps);
  return {
    request: {
      service: SERVICE,
      url: `${URL}/projects/${project}/secrets/${secret}/versions/${version}:access`,
      method: "GET",
      headers: {
        authorization: `Bearer ${token}`,
        ...(quotaProject !== undefined && { "x-goog-user-project": quotaProject }),
      },
    },
    read({ payload }) {
      const { data } = toObject(payload);
      return isText(data) ? Buffer.from(data, "base64").toString() : undefined;
    },
    code: ({ error }) => toObject(error).status,
  };
};
