/**
 * AWS's files of profiles: `~/.aws/config` and `~/.aws/credentials`
 * (https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html, 2026-11-22).
 */

/** The settings of a profile, or of an SSO session, by their names in lower case. */
export type Profile = ReadonlyMap<string, string>;

/** All profiles of both files. */
export interface Profiles {
  /** Settings of the credentials file take precedence. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly sessions: ReadonlyMap<string, Profile>;
}

/** Looks up variables and files. */
export interface ProfileSources {
  readonly env: (name: string) => string | undefined;
  readonly readFile: (path: string) => string;
}

/** The variables that name the files. */
export const PROFILE_VARIABLES = [
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "HOME",
  "USERPROFILE",
] as const;

/** Reads both files. A missing file has no profiles. */
export function readProfiles({ env, readFile }: ProfileSources): Profiles {
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

/** The sections of a file by their titles. Nested settings, which are indented, are left out. */
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
