/**
 * AWS's default chain for finding a machine's, a container's or a user's credentials
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html, 2026-11-22).
 */

import type { AwsKeys } from "../aws_signature.ts";
import { unusable } from "../service_request.ts";

// AWS's profile files: `~/.aws/config` and `~/.aws/credentials`
// (https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html, 2026-11-22).

/** The settings of a profile or an SSO session, by lowercase name. */
type Profile = ReadonlyMap<string, string>;

/** All profiles in both files. */
interface Profiles {
  /** Settings in the credentials file take precedence. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly sessions: ReadonlyMap<string, Profile>;
}

/** Looks up variables and files. */
export interface ProfileSources {
  readonly env: (name: string) => string | undefined;
  readonly readFile: (path: string) => string;
}

/** The variables that name the files. */
const PROFILE_VARIABLES = [
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "HOME",
  "USERPROFILE",
] as const;

/** Reads both files. A missing file has no profiles. */
function readProfiles({ env, readFile }: ProfileSources): Profiles {
  const home = homeOf(env);
  const read = (variable: string, name: string) => {
    const path = env(variable) ?? (home && `${home}/.aws/${name}`);
    try {
      return path === undefined ? "" : readFile(path);
    } catch {
      return "";
    }
  };
  const profiles = new Map<string, Map<string, string>>();
  const sessions = new Map<string, Map<string, string>>();
  for (const [title, settings] of readSections(read("AWS_CONFIG_FILE", "config"))) {
    const [, kind, name] = /^(profile|sso-session)\s+(.+)$/.exec(title) ?? [];
    if (kind === "sso-session" && name !== undefined) sessions.set(unquoted(name), settings);
    else if (kind === "profile" && name !== undefined) profiles.set(unquoted(name), settings);
    else if (title === "default" && !profiles.has(title)) profiles.set(title, settings);
  }
  const credentials = read("AWS_SHARED_CREDENTIALS_FILE", "credentials");
  for (const [title, settings] of readSections(credentials)) {
    profiles.set(title, new Map([...profiles.get(title) ?? [], ...settings]));
  }
  return { profiles, sessions };
}

/** The user's home directory. */
export function homeOf(env: ProfileSources["env"]): string | undefined {
  return env("HOME") ?? env("USERPROFILE");
}

/** A file's sections, by title. Indented, nested settings are ignored. */
function readSections(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (title !== undefined) {
      section = sections.get(title) ?? new Map();
      sections.set(title, section);
      continue;
    }
    const [, name, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    section?.set(name.toLowerCase(), value.replace(/\s[#;].*$/, "").trim());
  }
  return sections;
}

function unquoted(name: string): string {
  return name.replace(/^(["'])(.*)\1$/, "$2");
}

/** A role to assume. */
export interface AwsRole {
  readonly arn: string;
  readonly externalId?: string | undefined;
  readonly sessionName?: string | undefined;
  /** The lifetime of the credentials, in seconds. */
  readonly seconds?: number | undefined;
  /** The token service's region. */
  readonly region?: string | undefined;
}

/** The location of credentials, and how to obtain them. */
export type AwsSource =
  | { readonly type: "keys"; readonly keys: AwsKeys }
  | { readonly type: "web_identity"; readonly tokenFile: string; readonly role: AwsRole }
  | { readonly type: "assumed_role"; readonly base: AwsSource; readonly role: AwsRole }
  | {
    readonly type: "container";
    readonly url: string;
    readonly tokenFile: string | undefined;
    readonly token: string | undefined;
  }
  | {
    readonly type: "sso";
    /**
     * The value from which the name of the token file is derived: the session's name, or the start
     * URL.
     */
    readonly session: string;
    readonly region: string;
    readonly account: string;
    readonly role: string;
    /** The profile for `aws sso login`. */
    readonly profile: string;
  }
  | { readonly type: "instance"; readonly endpoint: string };

/** A source and its description for the operator. */
export interface FoundSource {
  readonly source: AwsSource;
  readonly label: string;
}

/** The variables that select the source. */
export const AWS_VARIABLES: readonly string[] = [
  ...PROFILE_VARIABLES,
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_PROFILE",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_ROLE_ARN",
  "AWS_ROLE_SESSION_NAME",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "AWS_EC2_METADATA_DISABLED",
  "AWS_EC2_METADATA_SERVICE_ENDPOINT",
  "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
  "AWS_ENDPOINT_URL_STS",
  "AWS_ENDPOINT_URL_SSO",
];

/**
 * The first configured source in the chain. The metadata service comes last; its existence is not
 * checked here.
 *
 * @returns undefined if no source is configured and the metadata service is disabled
 * @throws {GatewayError} `upstream_auth` for a source that is selected but cannot be used
 */
export function findAwsSource(sources: ProfileSources): FoundSource | undefined {
  const { env } = sources;
  const profile = env("AWS_PROFILE");
  const keys = profile === undefined ? environmentKeys(env) : undefined;
  if (keys !== undefined) return keys;
  return new ProfileChain(sources).find(profile) ?? webIdentity(env) ?? container(env) ??
    instance(env);
}

type Env = ProfileSources["env"];

function environmentKeys(env: Env): FoundSource | undefined {
  const [accessKeyId, secretAccessKey] = [env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY")];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const keys = { accessKeyId, secretAccessKey, sessionToken: env("AWS_SESSION_TOKEN") };
  return { source: { type: "keys", keys }, label: "AWS keys in the environment" };
}

function webIdentity(env: Env): FoundSource | undefined {
  const [tokenFile, arn] = [env("AWS_WEB_IDENTITY_TOKEN_FILE"), env("AWS_ROLE_ARN")];
  if (tokenFile === undefined || arn === undefined) return undefined;
  const role = { arn, sessionName: env("AWS_ROLE_SESSION_NAME") };
  const label = `AWS web identity, ${roleLabel(arn)}`;
  return { source: { type: "web_identity", tokenFile, role }, label };
}

function container(env: Env): FoundSource | undefined {
  const path = env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const url = path === undefined
    ? env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    : `http://169.254.170.2${path}`;
  if (url === undefined) return undefined;
  if (!isContainerUrl(url)) {
    throw unusable(
      "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of the container host",
    );
  }
  const tokenFile = env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const token = env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  return { source: { type: "container", url, tokenFile, token }, label: "AWS container role" };
}

/** Without TLS, the credentials must not leave the machine and its link-local network. */
function isContainerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  return url.protocol === "https:" ||
    url.protocol === "http:" &&
      /^(?:127(?:\.\d+){3}|localhost|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/
        .test(url.hostname);
}

function instance(env: Env): FoundSource | undefined {
  if (/^true$/i.test(env("AWS_EC2_METADATA_DISABLED") ?? "")) return undefined;
  const isV6 = /^ipv6$/i.test(env("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE") ?? "");
  const endpoint = (env("AWS_EC2_METADATA_SERVICE_ENDPOINT") ??
    (isV6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254")).replace(/\/+$/, "");
  return { source: { type: "instance", endpoint }, label: "AWS instance metadata" };
}

/** A role's name, without the account. */
export function roleLabel(arn: string): string {
  return `role ${arn.slice(arn.lastIndexOf("/") + 1)}`;
}

/** Resolves a profile, which may refer to others. */
class ProfileChain {
  readonly #env: Env;
  readonly #files: Profiles;

  constructor(sources: ProfileSources) {
    this.#env = sources.env;
    this.#files = readProfiles(sources);
  }

  /**
   * @param named the profile in AWS_PROFILE, which must exist
   * @returns undefined if the default profile has no credentials
   */
  find(named: string | undefined): FoundSource | undefined {
    const name = named ?? "default";
    if (named === undefined && !this.#hasCredentials("default")) return undefined;
    const source = this.#resolve(name, []);
    const role = source.type === "assumed_role" ? `, ${roleLabel(source.role.arn)}` : "";
    const sso = source.type === "sso" ? ", SSO" : "";
    return { source, label: `AWS profile '${name}'${role}${sso}` };
  }

  #hasCredentials(name: string): boolean {
    const settings = [...this.#files.profiles.get(name)?.keys() ?? []];
    return settings.some((setting) => CREDENTIAL_SETTINGS.has(setting));
  }

  /** @param parents the profiles that refer to this one */
  #resolve(name: string, parents: readonly string[]): AwsSource {
    const profile = this.#files.profiles.get(name);
    if (profile === undefined) throw unusable(`there is no AWS profile '${name}'`);
    const own = keysIn(profile);
    // A role may be assumed with keys from the same profile.
    if (own !== undefined && parents.length > 0) return { type: "keys", keys: own };
    const arn = profile.get("role_arn");
    if (arn !== undefined) return this.#toRole(name, profile, arn, [...parents, name]);
    if (own !== undefined) return { type: "keys", keys: own };
    if (profile.has("sso_account_id")) return this.#toSso(name, profile);
    const reason = profile.has("credential_process")
      ? "has a credential_process, and Sluice runs no programs"
      : profile.has("login_session")
      ? "has a login_session, which is not supported: use SSO or a role"
      : "has no credentials";
    throw unusable(`the AWS profile '${name}' ${reason}`);
  }

  #toRole(name: string, profile: Profile, arn: string, parents: readonly string[]): AwsSource {
    const seconds = Number(profile.get("duration_seconds"));
    const role: AwsRole = {
      arn,
      externalId: profile.get("external_id"),
      sessionName: profile.get("role_session_name"),
      seconds: Number.isInteger(seconds) && seconds > 0 ? seconds : undefined,
      region: profile.get("region"),
    };
    if (profile.has("mfa_serial")) {
      throw unusable(`the AWS profile '${name}' needs a code from an MFA device`);
    }
    const tokenFile = profile.get("web_identity_token_file");
    if (tokenFile !== undefined) return { type: "web_identity", tokenFile, role };
    const from = profile.get("source_profile");
    if (from !== undefined) {
      if (parents.slice(0, -1).includes(from)) {
        throw unusable(`the AWS profile '${from}' refers to itself`);
      }
      return { type: "assumed_role", base: this.#resolve(from, parents), role };
    }
    const base = this.#fromCredentialSource(name, profile.get("credential_source"));
    return { type: "assumed_role", base, role };
  }

  #fromCredentialSource(name: string, credentialSource: string | undefined): AwsSource {
    const find = new Map([
      ["Environment", environmentKeys],
      ["EcsContainer", container],
      ["Ec2InstanceMetadata", instance],
    ]).get(credentialSource ?? "");
    const found = find?.(this.#env);
    if (found !== undefined) return found.source;
    const reason = credentialSource === undefined
      ? "has a role_arn without source_profile or credential_source"
      : `has the credential_source '${credentialSource}', which has no credentials`;
    throw unusable(`the AWS profile '${name}' ${reason}`);
  }

  #toSso(name: string, profile: Profile): AwsSource {
    const session = profile.get("sso_session");
    const settings = session === undefined ? profile : this.#files.sessions.get(session);
    const region = settings?.get("sso_region");
    const start = settings?.get("sso_start_url");
    const [account, role] = [profile.get("sso_account_id"), profile.get("sso_role_name")];
    if (
      region === undefined || start === undefined || account === undefined || role === undefined
    ) throw unusable(`the SSO settings of the AWS profile '${name}' are incomplete`);
    return { type: "sso", session: session ?? start, region, account, role, profile: name };
  }
}

/** Settings of which the default profile needs at least one to have credentials. */
const CREDENTIAL_SETTINGS: ReadonlySet<string> = new Set([
  "aws_access_key_id",
  "credential_process",
  "role_arn",
  "sso_account_id",
]);

function keysIn(profile: Profile): AwsKeys | undefined {
  const accessKeyId = profile.get("aws_access_key_id");
  const secretAccessKey = profile.get("aws_secret_access_key");
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: profile.get("aws_session_token") };
}
