/** The facts about a client: its files, their settings, and manual steps. */

/** JSON may contain comments and trailing commas. */
export type SettingsFormat = "json" | "yaml" | "toml" | "dotenv";

/** A model that a client can be configured for. */
export interface ClientModel {
  readonly id: string;
  /** The display name. */
  readonly name: string;
  /** The context window in tokens, if known. */
  readonly contextWindow: number | undefined;
  /** The maximum output in tokens, if known. */
  readonly maxOutputTokens: number | undefined;
  /** Whether it accepts images; undefined if unknown. */
  readonly vision: boolean | undefined;
}

/** The gateway that clients are configured for. */
export interface ClientTarget {
  /** The address without `/v1`, which Anthropic's and Google's clients add themselves. */
  readonly origin: string;
  /** The address with `/v1`, for clients for OpenAI's APIs. */
  readonly base: string;
  /** The model that is used by default, and a small one for titles and summaries. */
  readonly model: ClientModel;
  readonly smallModel: ClientModel;
  /** The models for clients that need a list. */
  readonly models: readonly ClientModel[];
}

/** The locations of the user's files. */
export interface Places {
  readonly os: "linux" | "darwin" | "windows";
  readonly env: (name: string) => string | undefined;
  /** Whether a file exists. */
  readonly exists: (path: string) => boolean;
}

/** One setting in a file. */
export type Setting =
  | {
    /** The names of the members that lead to the value. */
    readonly path: readonly string[];
    readonly value: unknown;
    /**
     * Set only if the file contains no value there, for settings that are required but not specific
     * to the gateway.
     */
    readonly isDefault?: boolean;
  }
  | {
    /** The names of the members that lead to a list; empty if the file is a list. */
    readonly path: readonly string[];
    /** Entries in the list. Members of existing entries that are not listed here are unchanged. */
    readonly entries: readonly Readonly<Record<string, unknown>>[];
    /** Whether an earlier `sluice connect` added the entry. */
    readonly isOurs: (entry: Readonly<Record<string, unknown>>) => boolean;
    /** The member that identifies an entry. */
    readonly identity: string;
  };

/** A settings file. */
export interface ClientFile {
  readonly path: string;
  readonly format: SettingsFormat;
  readonly settings: readonly Setting[];
  /** Why the file must not be created if it does not exist. */
  readonly whyNotCreated?: string;
}

/** A client. */
export interface Client {
  /** Its name on the command line. */
  readonly id: string;
  readonly title: string;
  /** The sources of its settings, and when they were checked. */
  readonly source: string;
  readonly checked: string;
  /** The files to write; empty if its settings are not in a file. */
  readonly files: (target: ClientTarget, places: Places) => readonly ClientFile[];
  /** Manual steps, one paragraph or command each. */
  readonly steps: (target: ClientTarget, places: Places) => readonly string[];
}

/** The variable with the service key. The key itself is not written to any file. */
export const KEY_VARIABLE = "SLUICE_API_KEY";

/** The command that sets a variable to the service key in an operating system's shells. */
export function exportKey(variable: string, { os }: Places): string {
  return os === "windows"
    ? `setx ${variable} %${KEY_VARIABLE}%`
    : `export ${variable}=$${KEY_VARIABLE}`;
}

/** A copy without undefined members. */
export function known(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
